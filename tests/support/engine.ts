/** The real runtime on a real store, over real HTTP to the scripted model: what tests of behaviour drive. */
import { onTestFinished } from 'vitest';
import type { ApprovePolicy } from '#contract/agent.ts';
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { Output } from '#contract/rpc.ts';
import type { AgentFolders } from '#core/agents/agent-folders.ts';
import type { Runtime } from '#core/host/runtime/runtime.ts';
import type { Store } from '#core/store/store.ts';
import { memoryStore } from './stores/pooled.ts';
import { Trust } from '#core/agents/trust.ts';
import { answering, builtinAgents, type Composition, composeRuntime, type Person, settingsOf, yes } from './compose.ts';
import type { Protocol } from './fake-model/exchange.ts';
import { type FakeModel, startFakeModel } from './fake-model/server.ts';
import type { Script } from './fake-model/script.ts';
import { folderWith } from './workspace.ts';

type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>;

export interface Harness {
  runtime: Runtime;
  store: Store;
  agents: AgentFolders;
  trust: Trust;
  model: FakeModel;
  folder: string;
  conversationId: string;
  events: AgentEvent[];
  durable(): DurableEvent[];
  /** The events of one type, in order. */
  of<T extends AgentEvent['type']>(type: T): EventOf<T>[];
  send(text: string, approve?: ApprovePolicy): Promise<Output<'message.send'>>;
  /** Sends and waits for the end of that workflow. */
  ask(text: string, approve?: ApprovePolicy): Promise<EventOf<'workflow-end'>>;
  ended(workflowId: string): Promise<EventOf<'workflow-end'>>;
  /** The first event of a type, already there or to come, for which the predicate holds. */
  event<T extends AgentEvent['type']>(type: T, predicate?: (event: EventOf<T>) => boolean): Promise<EventOf<T>>;
}

export interface HarnessOptions {
  person?: Person;
  /** Answers questions about limits; default: the run finishes. */
  atLimit?: Person;
  /** TOML of the settings file. */
  settings?: string;
  files?: Record<string, string | Uint8Array>;
  store?: Store;
  keys?: string[];
  /** The models that the endpoint lists; default: it gives no list. */
  models?: string[];
  apiKey?: string;
  /** `real`: that of the program. Default: one whose waits are short. */
  retryClock?: NonNullable<Composition['retryClock']>;
  /** False counts no person as attached; default: true. */
  isAttended?: boolean;
  /** Where changed settings are saved. */
  configFolder?: string;
  /** A configuration folder with agents of the person; default: there are none. */
  agentsConfig?: string;
  /** Instead of a key and the scripted model. */
  environment?: NonNullable<Composition['environment']>;
  onFailure?: (error: Error) => void;
  /** Where sessions are kept as Markdown; default: nowhere. */
  data?: string;
  own?: NonNullable<Composition['own']>;
  programs?: NonNullable<Composition['programs']>;
  warn?: NonNullable<Composition['warn']>;
  secrets?: NonNullable<Composition['secrets']>;
  /** Who leads the conversation; default: the lead. */
  lead?: string;
  workspaces?: NonNullable<Composition['workspaces']>;
  embeddings?: NonNullable<Composition['embeddings']>;
  /** The scripted model as the provider `local`, in this protocol. */
  protocol?: Protocol;
  /** Makes the vectors that the scripted model gives. */
  embed?: (text: string) => number[];
}

export { yes };

/** Long, for a busy machine: an event that does not come fails the test, also later. */
const EVENT_PATIENCE_MS = 30_000;

/** How an engine is started: one of its own, or what `sharedEngine` gives. */
export type Start = (script: Script, options: HarnessOptions) => Promise<Harness>;

export async function startEngine(script: Script, options: HarnessOptions = {}): Promise<Harness> {
  const folder = await folderWith(options.files ?? { 'README.md': '# A workspace\n' });
  const model = await startFakeModel(script, {
    // A server of this machine that another provider names is asked without a key.
    ...((options.keys ?? options.protocol) ? { keys: options.keys ?? null } : {}),
    ...(options.models ? { models: options.models } : {}),
    ...(options.embed ? { embed: options.embed } : {}),
  });
  const store = options.store ?? (await memoryStore());
  const local = options.protocol ? providerAt(model.url, options.protocol) : '';
  const settings = settingsOf(`${local}${options.settings ?? ''}`);
  const trust = new Trust(options.data ?? options.configFolder ?? (await folderWith()));
  const agents = builtinAgents(trust, options.agentsConfig);
  const shared = { store, settings, agents, trust, folder };
  const runtime = await composeRuntime({ ...options, ...shared, url: model.url });
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await runtime.close();
    await model.close();
  };
  onTestFinished(close);
  const { person = yes, atLimit, isAttended } = options;
  await answering(runtime, person, { ...(atLimit && { atLimit }), ...(isAttended !== undefined && { isAttended }) });
  const { id: conversationId } = await runtime.request(
    'conversation.create',
    options.lead ? { agent: options.lead } : {},
  );
  return { runtime, store, agents, trust, model, folder, conversationId, ...(await talkIn(runtime, conversationId)) };
}

/** The program once more, after one that has ended, with its folder and model, on this store; nobody answers its questions. */
export async function startAgain(
  { folder, model }: Pick<Harness, 'folder' | 'model'>,
  store: Store,
  more: Partial<Composition> = {},
): Promise<Runtime> {
  const runtime = await composeRuntime({ store, folder, url: model.url, settings: settingsOf(''), ...more });
  onTestFinished(() => runtime.close());
  return runtime;
}

/** A conversation as a client has it. */
type Talk = Pick<Harness, 'events' | 'durable' | 'of' | 'send' | 'ask' | 'ended' | 'event'>;

/** What is said and told in a conversation from now on; `leave` ends the listening. */
export async function talkIn(runtime: Runtime, conversationId: string): Promise<Talk & { leave: () => void }> {
  const events: AgentEvent[] = [];
  const arrivals = new Arrivals(events);
  const leave = await runtime.subscribe('conversation', { conversationId }, (event) => arrivals.add(event));
  const send: Talk['send'] = (text, approve = 'ask') =>
    runtime.request('message.send', { conversationId, text, approve });
  const ended: Talk['ended'] = (workflowId) => arrivals.find('workflow-end', (end) => end.workflowId === workflowId);
  return {
    events,
    send,
    ended,
    leave,
    event: (type, predicate) => arrivals.find(type, predicate),
    durable: () => events.filter((one): one is DurableEvent => 'seq' in one),
    of: <T extends AgentEvent['type']>(type: T) => events.filter((one): one is EventOf<T> => one.type === type),
    ask: async (text, approve) => ended((await send(text, approve)).workflowId),
  };
}

const TYPES = { messages: 'anthropic', chat: 'openai-chat', responses: 'openai-responses' } as const;

/** Settings of the provider `local`, to stand before all tables. */
export function providerAt(url: string, protocol: Protocol): string {
  const own = { type: TYPES[protocol], base_url: protocol === 'messages' ? url : `${url}/v1` };
  const keys = Object.entries({ ...own, 'defaults.model': 'm-1' });
  const lines = keys.map(([key, value]) => `providers.local.${key} = ${JSON.stringify(value)}\n`);
  return `providers.active = "local"\n${lines.join('')}`;
}

/** The events of a conversation as they come, for who waits for one. */
class Arrivals {
  readonly #events: AgentEvent[];
  readonly #waiting = new Set<(event: AgentEvent) => void>();

  constructor(events: AgentEvent[]) {
    this.#events = events;
  }

  add(event: AgentEvent): void {
    this.#events.push(event);
    for (const check of this.#waiting) check(event);
  }

  /** The first that fits, also one that has come already; rejects when the patience is over. */
  find<T extends AgentEvent['type']>(
    type: T,
    predicate: (event: EventOf<T>) => boolean = () => true,
  ): Promise<EventOf<T>> {
    const fits = (event: AgentEvent): event is EventOf<T> => event.type === type && predicate(event as EventOf<T>);
    return new Promise((resolve, reject) => {
      const found = this.#events.find(fits);
      if (found) return resolve(found);
      const timer = setTimeout(() => {
        this.#waiting.delete(check);
        const seen = this.#events.map((event) => `${event.agent}:${event.type}`).join(' ');
        reject(new Error(`No such ${type}; there were: ${seen}`));
      }, EVENT_PATIENCE_MS);
      const check = (candidate: AgentEvent): void => {
        if (!fits(candidate)) return;
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve(candidate);
      };
      this.#waiting.add(check);
    });
  }
}

/** What a sub-agent tool answers, as the lead reads it. */
export interface SubAgentOutput {
  success: boolean;
  outcome?: string;
  report?: string;
  error?: string;
  results?: { success: boolean; outcome: string; report: string; error: string | null }[];
  aggregated_report?: string;
  children?: { child_id: string; name: string; status: string }[];
  child_id?: string;
  background?: boolean;
}

export function outputOf(text: string | undefined): SubAgentOutput {
  return JSON.parse(text ?? '{}') as SubAgentOutput;
}

export function outcomes(end: { outcome: Outcome; subAgents: { outcome: Outcome | null }[] }): (Outcome | null)[] {
  return [end.outcome, ...end.subAgents.map((one) => one.outcome)];
}
