/** The program behind every host: the one table of methods, served from the engine and the store. */
import { realpath, stat } from 'node:fs/promises';
import { z } from 'zod';
import {
  type Client,
  type Input,
  type MethodName,
  methods,
  type Output,
  type Parsed,
  type TopicEvent,
  type TopicInput,
  type TopicName,
  topics,
} from '#contract/rpc.ts';
import type { Attention, ConversationRow } from '#contract/view.ts';
import type { AgentRegistry } from './agents/registry.ts';
import { ApprovalGate } from './approvals/gate.ts';
import type { Engine } from './engine.ts';
import { Envelopes } from './envelopes.ts';
import { TriadError } from './errors.ts';
import { EventLog } from './event-log.ts';
import { newId } from './ids.ts';
import type { ModelUsage } from './model/model.ts';
import { OpenMessages } from './open-messages.ts';
import { Orchestrator } from './orchestrator.ts';
import type { Provider } from './provider.ts';
import { sweep } from './recovery.ts';
import { Semaphore } from './semaphore.ts';
import type { Settings } from './settings.ts';
import { snapshot, workflowDetail } from './snapshots.ts';
import type { Store } from './store/store.ts';
import { ToolRegistry } from './tools/registry.ts';
import type { Tool } from './tools/tool.ts';
import { RETRY_DELAYS_MS } from '#contract/limits.ts';
import { ZERO } from './usage.ts';

/** What a host hands in; nothing here is looked up anywhere else. */
export interface RuntimePorts {
  version: string;
  store: Store;
  provider: Provider;
  registry: AgentRegistry;
  tools: readonly Tool[];
  settings: Settings;
  /** Folder for conversations that name none. */
  folder: string;
  price(model: string, usage: ModelUsage): { nanoUsd: number | null; priceVersion: string | null };
  /** Waits between the attempts of a model request, in milliseconds. */
  retryDelays?: readonly number[];
  /** Appends of one transaction at most. */
  groupSize?: number;
  /** Told once when the history cannot be written any more. */
  onFailure?(error: TriadError): void;
}

export interface Runtime extends Client {
  /** Interrupts what runs, marks it, and closes the store. */
  close(): Promise<void>;
}

type Handlers = { [M in MethodName]: (input: Parsed<M>) => Promise<Output<M>> | Output<M> };

/** Sweeps what a dead process left, then serves. */
export async function createRuntime(ports: RuntimePorts): Promise<Runtime> {
  const { store } = ports;
  const attention = new AttentionFeed(() => ({
    questions: engine.gate.pending().map((approval) => structuredClone(approval)),
    running: orchestrator.active().map(({ conversationId, id, title, runs }) => ({
      conversationId,
      workflowId: id,
      title,
      runs: runs.size,
    })),
  }));
  const log = new EventLog(
    store,
    (error) => {
      void orchestrator.interrupt('failure');
      ports.onFailure?.(error);
    },
    ports.groupSize,
  );
  const engine = createEngine(ports, log, () => attention.changed());
  const orchestrator = new Orchestrator(engine, () => attention.changed());
  await sweep(store, log);
  const handlers = handlersOf(ports, engine, orchestrator);

  return {
    request: async <M extends MethodName>(method: M, input: Input<M>): Promise<Output<M>> => {
      if (!Object.hasOwn(methods, method))
        throw new TriadError('bad_input', `There is no method "${method}"`);
      return handlers[method](parse(method, methods[method].input, input) as Parsed<M>);
    },
    subscribe: async <T extends TopicName>(
      topic: T,
      input: TopicInput<T>,
      listener: (event: TopicEvent[T]) => void,
    ) => {
      if (!Object.hasOwn(topics, topic)) throw new TriadError('bad_input', `There is no topic "${topic}"`);
      if (topic === 'attention') {
        const { canAnswer } = parse(topic, topics.attention, input);
        const leave = canAnswer ? engine.gate.attach() : () => undefined;
        const end = attention.subscribe(listener as (event: Attention) => void);
        return () => {
          end();
          leave();
        };
      }
      const { conversationId } = parse(topic, topics.conversation, input);
      await mustExist(store.conversation(conversationId), `There is no conversation ${conversationId}`);
      await log.open(conversationId);
      return log.subscribe(conversationId, listener as Parameters<EventLog['subscribe']>[1]);
    },
    close: async () => {
      await orchestrator.interrupt('shutdown');
      engine.gate.close();
      await log.flush();
      await sweep(store, log).catch(() => undefined);
      await log.flush();
      await store.close();
    },
  };
}

function createEngine(ports: RuntimePorts, log: EventLog, onChange: () => void): Engine {
  const tools = new ToolRegistry(ports.tools);
  const { settings, registry, provider, store } = ports;
  const limit = settings.providers.anthropic.max_concurrent;
  const semaphore = new Semaphore(limit);
  const gate = new ApprovalGate({
    onChange,
    saveClock: (requests) => {
      log
        .save(
          requests.map((request) => ({
            kind: 'update',
            table: 'approval',
            key: request.id,
            set: { request: structuredClone(request) },
          })),
        )
        .catch(() => undefined);
    },
  });
  return {
    store,
    log,
    open: new OpenMessages(log),
    gate,
    registry,
    tools,
    envelopes: new Envelopes({ settings, tools, registry, provider: provider.name }),
    settings,
    model: () => provider.model(),
    price: ports.price,
    permits: () => ({ limit, semaphore }),
    retryDelays: ports.retryDelays ?? RETRY_DELAYS_MS,
  };
}

function handlersOf(ports: RuntimePorts, engine: Engine, orchestrator: Orchestrator): Handlers {
  const { store, provider, registry, version } = ports;
  const { log, open, gate, tools } = engine;
  const conversation = (id: string) => mustExist(store.conversation(id), `There is no conversation ${id}`);
  const workflow = (id: string) => mustExist(store.workflow(id), `There is no workflow ${id}`);
  const appState = async (): Promise<Output<'app.state'>> => ({
    version,
    folder: ports.folder,
    provider: await provider.state(),
    tools: tools.all().map((tool) => ({ name: tool.name, description: tool.describe(registry.delegable()) })),
    maxSubAgents: engine.settings.limits.max_sub_agents,
  });
  return {
    'app.state': appState,
    'provider.set': async (input) => {
      await provider.set(input);
      return appState();
    },
    'agents.list': () => registry.list({ enabled: true }).filter((agent) => agent.lifecycle === 'permanent'),
    'conversation.list': (page) => store.conversations(page),
    'conversation.create': async ({ folder, agent }) =>
      createConversation(
        store,
        log,
        registry,
        await canonicalFolder(folder ?? ports.folder),
        agent ?? 'lead',
      ),
    'conversation.snapshot': async ({ conversationId }) => {
      await conversation(conversationId);
      await log.open(conversationId);
      return log.exclusive(conversationId, (seq) => snapshot(store, open, conversationId, seq));
    },
    'conversation.earlier': async ({ conversationId, before }) => {
      await conversation(conversationId);
      await log.open(conversationId);
      return log.exclusive(conversationId, (seq) => snapshot(store, open, conversationId, seq, before));
    },
    'message.send': async ({ conversationId, text, approve }) =>
      orchestrator.send(await conversation(conversationId), text, approve),
    'workflow.list': (page) => store.workflows(page),
    'workflow.get': async ({ workflowId }) => workflowDetail(store, await workflow(workflowId)),
    'workflow.stop': ({ workflowId }) => orchestrator.stopWorkflow(workflowId),
    'workflow.resume': async ({ workflowId }) => {
      await orchestrator.resume(await workflow(workflowId));
      return {};
    },
    'run.get': ({ runId }) => mustExist(store.run(runId), `There is no run ${runId}`),
    'run.entries': ({ runId }) => store.entriesOf(runId),
    'run.stop': ({ runId }) => orchestrator.stopRun(runId),
    'approval.decide': ({ approvalId, item, answer }) => gate.decide(approvalId, item, answer),
  };
}

async function createConversation(
  store: Store,
  log: EventLog,
  registry: AgentRegistry,
  folder: string,
  agent: string,
): Promise<ConversationRow> {
  const definition = registry.lookup(agent);
  if (definition?.role !== 'primary') {
    const leads = registry
      .list({ enabled: true })
      .filter((one) => one.role === 'primary')
      .map((one) => one.name);
    throw new TriadError(
      'not_found',
      `agent not found: "${agent}" cannot lead a conversation. Those that can are: ${leads.join(', ')}`,
    );
  }
  const at = new Date().toISOString();
  const row: ConversationRow = {
    id: newId(),
    title: '',
    folder,
    agent,
    createdAt: at,
    updatedAt: at,
    lastSeq: 0,
    usage: ZERO,
  };
  await log.save([{ kind: 'put', table: 'conversation', key: row.id, row }]);
  return mustExist(store.conversation(row.id), 'The new conversation was not stored');
}

/** Links resolved, so that the same folder is always the same workspace. */
async function canonicalFolder(folder: string): Promise<string> {
  try {
    const path = await realpath(folder);
    if ((await stat(path)).isDirectory()) return path;
  } catch {
    // Told below: it does not matter why it cannot be used.
  }
  throw new TriadError('bad_input', `${folder} is not a folder that can be read`);
}

async function mustExist<T>(found: Promise<T | null>, message: string): Promise<T> {
  const value = await found;
  if (value === null) throw new TriadError('not_found', message);
  return value;
}

function parse<S extends z.ZodType>(name: string, schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new TriadError('bad_input', `${issue?.path.join('.') || name}: ${issue?.message ?? 'invalid'}`);
}

/** Sends the whole state to every subscriber: once at the start, then after changes, at most once per turn of the program. */
class AttentionFeed {
  readonly #state: () => Attention;
  readonly #listeners = new Set<(state: Attention) => void>();
  #due = false;

  constructor(state: () => Attention) {
    this.#state = state;
  }

  subscribe(listener: (state: Attention) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#state());
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    if (this.#due) return;
    this.#due = true;
    setImmediate(() => {
      this.#due = false;
      if (this.#listeners.size === 0) return;
      const state = this.#state();
      for (const listener of this.#listeners) listener(state);
    });
  }
}
