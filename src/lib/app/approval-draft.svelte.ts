/** Drafts of an answer to an approval request: an edited envelope, or the edited input of a tool call. */
import type { Coagent, Envelope } from '#contract/agent.ts';
import type { Answer } from '#contract/approval.ts';
import { type Served, servedBy } from '#contract/flows/stations.ts';
import type { Question } from '#lib/view/phase.ts';
import { GrantDraft } from './grant-draft.svelte.ts';
import { ActionDraft, LimitDraft, ReplyDraft } from './reply-draft.svelte.ts';

export type Draft = EnvelopeDraft | ToolDraft | ActionDraft | ReplyDraft | LimitDraft;

/** The fields of one agent: of the sub-agent itself, or of a coagent or stage that works with it. */
export type AgentFieldsDraft = EnvelopeDraft | ServedDraft;

type EnvelopeBudget = NonNullable<Envelope['limits']['budget']>;

/** Thrown where the text in a box is not JSON. */
export class NotJson extends Error {}

/** Edits of the fields that every agent has. */
abstract class AgentEdits<T extends Coagent> {
  abstract readonly original: T;
  /** The current value of the form. */
  abstract get value(): T;

  // A getter, since a derived value would be destroyed with the component that read it first.
  get edited(): (keyof T)[] {
    return (Object.keys(this.original) as (keyof T)[]).filter(
      (field) => !same(this.value[field], this.original[field]),
    );
  }

  /** The provider that was asked for gets back the model that was. */
  moveTo(provider: string, model: string): void {
    this.value.provider = provider;
    this.value.model = provider === this.original.provider ? this.original.model : model;
  }

  /** Puts a tool into the envelope or takes it out, and keeps the list sorted as it came. */
  toggleTool(name: string, on: boolean): void {
    const others = this.value.tools.filter((other) => other !== name);
    this.value.tools = on ? [...others, name].sort() : others;
  }

  /** Null removes the limit; without any limit the envelope has no budget. */
  setBudget(kind: keyof EnvelopeBudget, limit: number | null): void {
    const { [kind]: _, ...others } = this.value.limits.budget ?? {};
    const budget = limit === null ? others : { ...others, [kind]: limit };
    if (Object.keys(budget).length > 0) this.value.limits.budget = budget;
    else delete this.value.limits.budget;
  }

  /** Null turns the review of its own answer off. */
  setRetries(maxRetries: number | null): void {
    const criteria = this.original.reflection?.criteria ?? null;
    if (maxRetries === null) delete this.value.reflection;
    else this.value.reflection = { criteria, maxRetries };
  }

  setSeesReports(sees: boolean): void {
    if (sees) this.value.seesReports = true;
    else delete this.value.seesReports;
  }
}

/** A coagent or a stage within the draft of a sub-agent. */
export class ServedDraft extends AgentEdits<Coagent> {
  readonly original: Coagent;
  readonly role: Served['role'];
  /** Key of the agent in the picture. */
  readonly key: string;
  readonly #draft: { value: Envelope };

  constructor({ key, agent, role }: Served, draft: { value: Envelope }) {
    super();
    this.key = key;
    this.original = agent;
    this.role = role;
    this.#draft = draft;
  }

  get value(): Coagent {
    return servedBy(this.#draft.value).find(({ key }) => key === this.key)!.agent;
  }
}

export class EnvelopeDraft extends AgentEdits<Envelope> {
  readonly kind = 'envelope';
  /** Null where only this one call can be allowed. */
  readonly grant: GrantDraft | null;
  readonly original: Envelope;
  /** The agents that work with it, in the order of the picture. */
  readonly served: readonly ServedDraft[];
  #value: Envelope = $state()!;
  reason = $state('');
  /** The fields as they were last sent. */
  #sent: Readonly<Record<string, unknown>> | null = $state.raw(null);

  constructor(original: Envelope, grant: GrantDraft | null = null) {
    super();
    this.original = original;
    this.grant = grant;
    this.#value = structuredClone(original);
    this.served = servedBy(original).map((served) => new ServedDraft(served, this));
  }

  get value(): Envelope {
    return this.#value;
  }

  /** The fields of the form that differ, by name: limits and budget are fields of their own. */
  get changed(): string[] {
    const before = fieldsOf(this.original);
    const after = fieldsOf(this.value);
    const fields = Object.keys({ ...before, ...after });
    return fields.filter((field) => !same(before[field], after[field]));
  }

  get edits(): number {
    return this.changed.length;
  }

  /** The problems of fields that were not changed since they were sent. */
  unfixed<T extends { field: string }>(problems: readonly T[]): T[] {
    const [sent, now] = [this.#sent, fieldsOf(this.value)];
    return problems.filter(({ field }) => sent === null || same(sent[field], now[field]));
  }

  reset(): void {
    this.#value = structuredClone(this.original);
  }

  answer(): Answer {
    const value = $state.snapshot(this.value);
    this.#sent = fieldsOf(value);
    return this.edited.length === 0 ? { kind: 'allow' } : { kind: 'edit', value };
  }
}

/** The fields of a file that would be written, and a command, have boxes of their own; all else is JSON, and all of a stranger's tool. */
export class ToolDraft {
  readonly kind = 'tool';
  readonly grant: GrantDraft | null;
  readonly original: unknown;
  readonly #isForeign: boolean;
  /** Null where the input has no such field. */
  path: string | null = $state(null);
  content: string | null = $state(null);
  command: string | null = $state(null);
  json = $state('');
  reason = $state('');

  constructor(original: unknown, grant: GrantDraft | null = null, isForeign = false) {
    this.original = original;
    this.grant = grant;
    this.#isForeign = isForeign;
    this.reset();
  }

  /** The boxes as they were asked. */
  get initial(): ReturnType<typeof boxesOf> {
    return this.#isForeign ? { ...NONE, json: jsonOf(this.original) } : boxesOf(this.original);
  }

  get edited(): string[] {
    const { initial } = this;
    return ([...BOXES, 'json'] as const).filter((field) => this[field] !== initial[field]);
  }

  get changed(): string[] {
    return this.edited;
  }

  get edits(): number {
    return this.edited.length;
  }

  reset(): void {
    Object.assign(this, this.initial);
  }

  /** Throws `NotJson` where the box of arguments is not JSON. */
  answer(): Answer {
    if (this.edited.length === 0) return { kind: 'allow' };
    const rest = this.json === '' ? {} : parse(this.json);
    const boxes = Object.fromEntries(BOXES.flatMap((name) => (this[name] === null ? [] : [[name, this[name]]])));
    const merge = typeof rest === 'object' && rest !== null && !Array.isArray(rest);
    return { kind: 'edit', value: merge ? { ...rest, ...boxes } : rest };
  }
}

/** The draft that fits the subject of a question. */
export function draftOf(question: Question): Draft {
  const { subject, grant: offer } = question.approval.request;
  const grant = offer ? new GrantDraft(offer) : null;
  if (question.spawn) return new EnvelopeDraft(question.spawn.envelope, grant);
  if (subject.kind === 'action') return new ActionDraft(subject);
  if (subject.kind === 'questions') return new ReplyDraft(subject.questions);
  if (subject.kind === 'limit') return new LimitDraft(subject);
  if (subject.kind !== 'tool') return new ToolDraft(null, grant);
  return new ToolDraft(subject.input, grant, subject.mcp !== undefined);
}

/** Returns the fields of the form by name, also of coagents and stages. Each limit is one field. */
function fieldsOf(envelope: Envelope): Record<string, unknown> {
  const { stages: _, flow: __, ...own } = envelope;
  const served = servedBy(envelope).flatMap(({ agent: { ...part } }, index, all) => {
    delete (part as { flow?: unknown }).flow;
    const isTwice = all.some(({ agent }, other) => other < index && agent.agent === part.agent);
    const whose = isTwice ? `${part.agent}, ${index + 1}` : part.agent;
    return Object.entries(listOwnFields(part)).map(([name, value]) => [`${name} (${whose})`, value] as const);
  });
  return { ...listOwnFields(own), ...Object.fromEntries(served) };
}

function listOwnFields({ limits: { budget, ...limits }, ...others }: Coagent): Record<string, unknown> {
  return { ...others, ...limits, ...budget };
}

/** Of two JSON values, whatever the order of their fields. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  const fields = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...fields].every((field) => same(Reflect.get(a, field), Reflect.get(b, field)));
}

const BOXES = ['path', 'content', 'command'] as const;
type Boxes = Record<(typeof BOXES)[number], string | null> & { json: string };

const NONE = { path: null, content: null, command: null };

function boxesOf(input: unknown): Boxes {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { ...NONE, json: jsonOf(input) };
  const { path, content, command, ...rest }: { path?: unknown; content?: unknown; command?: unknown } = input;
  const json = (others: object): string => (Object.keys(others).length === 0 ? '' : JSON.stringify(others, null, 2));
  if (typeof path === 'string' && typeof content === 'string' && command === undefined)
    return { ...NONE, path, content, json: json(rest) };
  if (typeof command === 'string' && path === undefined && content === undefined)
    return { ...NONE, command, json: json(rest) };
  return { ...NONE, json: jsonOf(input) };
}

function jsonOf(input: unknown): string {
  return JSON.stringify(input, null, 2) ?? 'null';
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new NotJson(error instanceof Error ? error.message : String(error));
  }
}
