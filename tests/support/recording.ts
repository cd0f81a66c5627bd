/** Builds recordings: lists of events, numbered and dated as the log and the history do it. */
import type { Envelope, RunKind } from '#contract/agent.ts';
import type { ApprovalRequest, Decision } from '#contract/approval.ts';
import type { AgentEvent, DurableEvent, HintEvent, RequestStart, RequestUsage } from '#contract/event.ts';
import { isServing } from '#contract/flows/serving.ts';
import type {
  AssistantEntry,
  CompactionEntry,
  HandoffEntry,
  SystemEntry,
  ToolEntry,
  UserEntry,
} from '#contract/message.ts';
import type { Outcome, Usage } from '#contract/outcome.ts';
import type { ConversationRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { canonicalHash } from '#core/base/hash.ts';
import type { Payload, RunIds } from '#core/store/log/recorder.ts';
import { envelopeOf } from './envelope.ts';

/** The same id each time, in the form that the core makes. */
export const idOf = (n: number): string => `01957a10-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');

export const conversationId = idOf(1);

export const lead: RunIds = {
  conversationId,
  workflowId: idOf(2),
  runId: idOf(3),
  parentRunId: null,
  agent: 'lead',
};
export const reviewer: RunIds = {
  ...lead,
  runId: idOf(4),
  parentRunId: lead.runId,
  agent: 'code-reviewer',
};

export const usageOf = (rest: Partial<Usage> = {}): Usage => ({
  inputTokens: 900,
  outputTokens: 120,
  cacheReadTokens: 2000,
  cacheWriteTokens: 100,
  costUsd: 0.0049,
  ...rest,
});

export function conversationRow(): ConversationRow {
  const at = new Date(START_MS).toISOString();
  return {
    id: conversationId,
    title: '',
    folder: '/home/ada/parser',
    agent: 'lead',
    createdAt: at,
    updatedAt: at,
    lastSeq: 0,
    usage: ZERO_TALLY,
  };
}

type New<E> = Omit<E, 'n' | 'at' | 'kind'>;
type HintPayload = HintEvent extends infer E ? (E extends HintEvent ? Omit<E, keyof RunIds | 'at'> : never) : never;

/** Numbers and dates the events of runs, as the log and the history do. */
export class Recording {
  readonly events: AgentEvent[] = [];
  readonly #stepMs: number;
  #seq = 0;
  #ms = START_MS;
  #lastId = 100;
  readonly #entries = new Map<string, number>();
  /** What was queued, by run id. */
  readonly queued = new Map<string, Extract<Payload, { type: 'run-queue' }>>();

  /** `stepMs`: time between two events. */
  constructor({ stepMs = 100 } = {}) {
    this.#stepMs = stepMs;
  }

  get durable(): DurableEvent[] {
    return this.events.filter((event) => 'seq' in event);
  }

  /** The time of the newest event. */
  get at(): string {
    return new Date(this.#ms).toISOString();
  }

  /** Returns an id that is not used yet. */
  newId(): string {
    this.#lastId += 1;
    return idOf(this.#lastId);
  }

  /** Moves the time of the next event, in milliseconds. */
  pass(ms: number): void {
    this.#ms += ms;
  }

  /** Starts a workflow whose lead runs. */
  startWorkflow(prompt: string): { lead: RecordedRun; workflowId: string } {
    const workflowId = this.newId();
    const run = new RecordedRun(this, { ...lead, workflowId, runId: this.newId() });
    run.say({ type: 'workflow-start', prompt, approve: 'ask', attempt: 1 });
    run.queue('lead', prompt);
    run.start(prompt);
    run.user('person', prompt);
    return { lead: run, workflowId };
  }

  endWorkflow(lead: RecordedRun, outcome: Outcome, text: string): void {
    lead.end(outcome, text);
    lead.say({
      type: 'workflow-end',
      outcome,
      text,
      error: null,
      durationMs: 200,
      usage: usageOf(),
      subAgents: [],
    });
  }

  record(who: RunIds, payload: Payload): DurableEvent {
    this.#ms += this.#stepMs;
    this.#seq += 1;
    if (payload.type === 'run-queue') this.queued.set(who.runId, payload);
    if ('entry' in payload) this.#entries.set(who.runId, Math.max(payload.entry.n + 1, this.entries(who)));
    const event = { ...payload, at: this.at, ...who, seq: this.#seq };
    this.events.push(event);
    return event;
  }

  hint(who: RunIds, payload: HintPayload): void {
    this.events.push({ ...payload, at: this.at, ...who });
  }

  words(who: RunIds, entry: New<UserEntry>): void {
    this.record(who, { type: 'message-end', entry: { kind: 'user', ...entry, ...this.#next(who) } });
  }

  response(who: RunIds, entry: New<AssistantEntry>): void {
    this.record(who, { type: 'message-end', entry: { kind: 'assistant', ...entry, ...this.#next(who) } });
  }

  remark(who: RunIds, code: SystemEntry['code'], text: string): void {
    this.record(who, { type: 'message-end', entry: { kind: 'system', code, text, ...this.#next(who) } });
  }

  /** Told, and taken back. */
  compaction(who: RunIds, entry: New<CompactionEntry>): void {
    const told = { kind: 'compaction' as const, ...entry, ...this.#next(who) };
    this.record(who, { type: 'compaction', entry: told });
    this.record(who, { type: 'compaction-undo', entry: { ...told, undone: true } });
  }

  handoff(who: RunIds, entry: New<HandoffEntry>): void {
    this.record(who, { type: 'handoff', entry: { kind: 'handoff', ...entry, ...this.#next(who) } });
  }

  result(who: RunIds, entry: New<ToolEntry>): void {
    this.record(who, { type: 'tool-end', entry: { kind: 'tool', ...entry, ...this.#next(who) } });
  }

  /** How many its history has. */
  entries({ runId }: RunIds): number {
    return this.#entries.get(runId) ?? 0;
  }

  #next(who: RunIds): { n: number; at: string } {
    return { n: this.entries(who), at: new Date(this.#ms + this.#stepMs).toISOString() };
  }
}

/** One turn of the model: its request, what it used, and the response in full. */
interface Turn {
  turn: number;
  messageId: string;
  parts: AssistantEntry['parts'];
  stopReason: AssistantEntry['stopReason'];
}

/** What is known of a request when its answer begins. */
export function startOf(request: RequestUsage): RequestStart {
  const { requestId, attempt, inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = request;
  return { requestId, attempt, inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens };
}

export function respond(recording: Recording, who: RunIds, { turn, messageId, parts, stopReason }: Turn): void {
  recording.record(who, { type: 'turn-start', turn, model: 'claude-sonnet-5-5' });
  const request = requestUsage(recording, { turn, stopReason });
  recording.record(who, { type: 'message-start', messageId, turn, request: startOf(request) });
  recording.record(who, { type: 'usage', request });
  const responseId = `msg_${messageId.slice(-2)}`;
  recording.response(who, { messageId, responseId, parts, stopReason, interrupted: false });
  if (stopReason !== 'tool_use') recording.record(who, { type: 'turn-end', turn, stopReason });
}

export function requestUsage(recording: Recording, rest: Partial<RequestUsage>): RequestUsage {
  return {
    requestId: idOf(1000 + recording.events.length),
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    turn: 0,
    attempt: 1,
    inputTokens: 300,
    cacheReadTokens: 1000,
    cacheWrite5mTokens: 50,
    cacheWrite1hTokens: 0,
    outputTokens: 60,
    thinkingTokens: 0,
    reported: true,
    stopReason: 'end_turn',
    error: null,
    startedAt: recording.at,
    firstTokenMs: 240.5,
    durationMs: 800,
    priceVersion: '2026-02-01',
    nanoUsd: 2_287_500,
    ...rest,
  };
}

/** What a call of the lead asks for; several of a batch share one call. */
interface Job {
  prompt: string;
  title: string;
  kind?: RunKind;
  toolCallId?: string | null;
  item?: number;
  place?: number;
  /** Of its envelope. */
  changes?: Partial<Envelope>;
}

/** Queued with the envelope that it returns; started by `start`. */
export function queue(recording: Recording, who: RunIds, job: Job): Envelope {
  const { prompt, title, kind = 'lead', toolCallId = null, item = 0, place, changes } = job;
  const envelope = envelopeOf(who.agent, prompt, changes);
  const { depth, parentChain } = recording.queued.get(who.parentRunId ?? '') ?? {
    depth: 0,
    parentChain: ['user', 'lead'],
  };
  const isLead = who.parentRunId === null;
  recording.record(who, {
    type: 'run-queue',
    kind,
    depth: isLead || isServing({ kind }) ? depth : depth + 1,
    name: who.agent,
    title,
    task: prompt,
    toolCallId,
    item,
    ...(place === undefined ? {} : { place }),
    parentChain: isLead ? ['user', who.agent] : [...parentChain, who.agent],
    traceId: who.runId.replaceAll('-', ''),
    envelope,
    envelopeHash: canonicalHash(envelope),
  });
  return envelope;
}

function recordStart(recording: Recording, who: RunIds, envelope: Envelope, attempt: number): void {
  const envelopeHash = canonicalHash(envelope);
  const { kind = 'lead' } = recording.queued.get(who.runId) ?? {};
  const serves = isServing({ kind }) ? { serves: true as const } : {};
  recording.record(who, { type: 'run-start', attempt, envelope, envelopeHash, queuedMs: 12.5, ...serves });
}

export function start(recording: Recording, who: RunIds, envelope: Envelope, attempt = 1): void {
  recordStart(recording, who, envelope, attempt);
  if (attempt > 1) return recording.remark(who, 'resumed', `Resumed (attempt ${attempt})`);
  recording.words(who, { source: who.parentRunId === null ? 'person' : 'parent', text: envelope.prompt });
}

/** A sub-agent that a question asks about. */
interface AskedSpawn {
  runId: string;
  title: string;
  envelope: Envelope;
}

/** Records the question before sub-agents start. */
function askToStart(
  recording: Recording,
  { parentRunId: _, ...asking }: RunIds,
  operation: 'spawn' | 'delegate' | 'parallel',
  asked: readonly AskedSpawn[],
  toolCallId = `call_${operation}`,
): ApprovalRequest {
  const names = asked.map(({ envelope }) => envelope.agent).join(', ');
  const approval: ApprovalRequest = {
    id: idOf(500 + recording.events.length),
    ...asking,
    toolCallId,
    chain: ['user', 'lead'],
    title: `Start ${names}?`,
    description: 'A sub-agent gets its system prompt and its prompt, and hands back one report.',
    subject: {
      kind: 'envelopes',
      operation,
      items: asked.map((spawn) => ({ ...spawn, hash: canonicalHash(spawn.envelope) })),
    },
    options: [
      { id: 'allow', name: 'Allow once', kind: 'allow_once' },
      { id: 'reject', name: 'Reject', kind: 'reject_once' },
    ],
    risk: 'medium',
    reversible: true,
    remainingMs: 300_000,
    at: recording.at,
  };
  recording.record({ ...asking, parentRunId: null }, { type: 'approval-request', approval });
  return approval;
}

/** Records the answer of the person to one item of a question. `reason`: text for the agent. */
function decide(
  recording: Recording,
  who: RunIds,
  { approvalId, item, hash, ...answer }: Pick<Decision, 'allowed' | 'reason'> & AnsweredItem,
): void {
  const decision: Decision = {
    item,
    outcome: 'selected',
    optionId: answer.allowed ? 'allow' : 'reject',
    ...answer,
    decidedBy: 'person',
    ruleId: null,
    at: recording.at,
    hashBefore: hash,
    hashAfter: hash,
  };
  recording.record(who, { type: 'approval-decide', approvalId, decision });
}

interface AnsweredItem {
  approvalId: string;
  item: number;
  hash: string;
}

/** Records the question before sub-agents start, and an answer to each. `no`: the reason of a rejection; null: allowed. */
export function approve(
  recording: Recording,
  asking: RunIds,
  operation: 'spawn' | 'delegate' | 'parallel',
  asked: readonly (AskedSpawn & { no: string | null })[],
): void {
  const spawns = asked.map(({ runId, title, envelope }) => ({ runId, title, envelope }));
  const { id: approvalId } = askToStart(recording, asking, operation, spawns);
  asked.forEach(({ no, envelope }, item) => {
    const answer = { approvalId, item, hash: canonicalHash(envelope), allowed: no === null, reason: no };
    decide(recording, { ...asking, parentRunId: null }, answer);
  });
}

interface Call {
  id: string;
  name: string;
  input: unknown;
}

/** Records the events of one run. */
export class RecordedRun {
  readonly #recording: Recording;
  readonly #who: RunIds;

  constructor(recording: Recording, who: RunIds) {
    this.#recording = recording;
    this.#who = who;
  }

  get runId(): string {
    return this.#who.runId;
  }

  get parentRunId(): string | null {
    return this.#who.parentRunId;
  }

  get agent(): string {
    return this.#who.agent;
  }

  /** The number of its next entry. */
  get entries(): number {
    return this.#recording.entries(this.#who);
  }

  /** A run that this one starts in its workflow. It is not queued yet. */
  child(agent: string): RecordedRun {
    const [runId, parentRunId] = [this.#recording.newId(), this.runId];
    return new RecordedRun(this.#recording, { ...this.#who, runId, parentRunId, agent });
  }

  say(payload: Payload): DurableEvent {
    return this.#recording.record(this.#who, payload);
  }

  hint(payload: HintPayload): void {
    this.#recording.hint(this.#who, payload);
  }

  queue(
    kind: RunKind,
    prompt: string,
    toolCallId: string | null = null,
    item = 0,
    { place, ...changes }: Partial<Envelope> & { place?: number } = {},
  ): void {
    queue(this.#recording, this.#who, {
      prompt,
      title: `Title of ${this.agent}`,
      kind,
      toolCallId,
      item,
      ...(place && { place }),
      changes,
    });
  }

  start(prompt: string, attempt = 1, changes: Partial<Envelope> = {}): void {
    recordStart(this.#recording, this.#who, envelopeOf(this.agent, prompt, changes), attempt);
  }

  /** Starts a further attempt, with its remark. */
  again(prompt: string, attempt: number, code: 'resumed' | 'retried' = 'resumed'): void {
    this.start(prompt, attempt);
    this.#recording.remark(this.#who, code, 'Again');
  }

  user(source: UserEntry['source'], text: string): void {
    this.#recording.words(this.#who, { source, text });
  }

  /**
   * Streams a text in pieces, with a call after it where one is given, and ends the message. `early`: what happens
   * because of the call before the message ends.
   */
  answer(text: string, call?: Call, early?: () => void): void {
    const messageId = this.#recording.newId();
    const request = requestUsage(this.#recording, { turn: 1, firstTokenMs: 5, durationMs: 50 });
    this.say({ type: 'message-start', messageId, turn: 1, request: startOf(request) });
    for (let offset = 0; offset < text.length; offset += 7)
      this.hint({ type: 'message-delta', messageId, part: 0, offset, text: text.slice(offset, offset + 7) });
    if (call) {
      const json = JSON.stringify(call.input);
      const meta = { toolCallId: call.id, name: call.name };
      this.hint({ type: 'tool-delta', messageId, part: 1, offset: 0, text: json.slice(0, 5), ...meta });
      this.hint({ type: 'tool-delta', messageId, part: 1, offset: 5, text: json.slice(5), ...meta });
    }
    const parts: AssistantEntry['parts'] = [
      { type: 'text', text },
      ...(call ? [{ type: 'tool_use' as const, ...call }] : []),
    ];
    const message = { messageId, responseId: 'msg_1' };
    if (early) {
      const n = this.entries;
      parts.forEach((value, part) => this.say({ type: 'message-part', ...message, n, turn: 1, part, value }));
      early();
      const more = 'And that is all.';
      this.hint({ type: 'message-delta', messageId, part: 2, offset: 0, text: more });
      parts.push({ type: 'text', text: more });
    }
    const stopReason = call ? 'tool_use' : 'end_turn';
    this.#recording.response(this.#who, { ...message, parts, stopReason, interrupted: false });
    this.say({ type: 'usage', request });
  }

  toolStart(toolCallId: string, name: string): void {
    this.say({ type: 'tool-start', toolCallId, name, input: {} });
    this.printed(toolCallId, 'first line');
    this.printed(toolCallId, 'second line');
  }

  printed(toolCallId: string, tail: string): void {
    this.hint({ type: 'tool-output', toolCallId, tail, bytes: tail.length });
  }

  toolEnd(
    toolCallId: string,
    name: string,
    status: 'completed' | 'error' = 'completed',
    metadata: Record<string, unknown> = {},
    durationMs = 12,
  ): void {
    this.#recording.result(this.#who, { toolCallId, name, status, output: 'done', durationMs, metadata });
  }

  /** Asks whether these may start. */
  ask(toolCallId: string, children: readonly RecordedRun[]): ApprovalRequest {
    const asked = children.map(({ runId, agent }) => {
      return { runId, title: `Title of ${agent}`, envelope: envelopeOf(agent, 'Look.') };
    });
    const operation = children.length > 1 ? 'parallel' : 'spawn';
    return askToStart(this.#recording, this.#who, operation, asked, toolCallId);
  }

  decide(approvalId: string, item: number, allowed: boolean): void {
    decide(this.#recording, this.#who, { approvalId, item, hash: 'hash', allowed, reason: null });
  }

  handoff(entry: New<HandoffEntry>): void {
    this.#recording.handoff(this.#who, entry);
  }

  end(outcome: Outcome, text = ''): void {
    this.say({ type: 'run-end', outcome, text, error: null, durationMs: 100, usage: usageOf() });
  }
}
