/** The runtime behind every host: serves the rpc methods and topics. */
import { setTimeout as delay } from 'node:timers/promises';
import { type z } from 'zod';
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
import type { EventDraft } from '#contract/event.ts';
import type { AgentFolders } from '#core/agents/agent-folders.ts';
import { AgentWatch } from '#core/agents/watch.ts';
import type { Attention as AttentionState } from '#contract/view.ts';
import { ApprovalGate } from '#core/approvals/gate.ts';
import type { GrantSigner } from '#core/approvals/grant-signer.ts';
import { Grants } from '#core/approvals/grants.ts';
import { Permissions } from '#core/approvals/permissions.ts';
import { PROJECT_CONFIG } from '#core/agents/places.ts';
import { listWatchedFolders } from '#core/agents/prompts/prompt-files.ts';
import { canonicalFolder } from '#core/base/disk-lookups.ts';
import { EarlierLeads } from '#core/store/log/earlier-leads.ts';
import type { Engine } from '#core/runs/engine.ts';
import { hybridSearches } from '#core/runs/hybrid-search.ts';
import type { Embeddings } from '#core/model/embeddings.ts';
import { Envelopes } from '#core/runs/envelopes/envelopes.ts';
import { settleAllUndos } from '#core/runs/undo/settle-undos.ts';
import { workspaceOf } from '#core/runs/workspace-of.ts';
import { errorInfo, mustExist, TriadError } from '#core/base/errors.ts';
import { OpenApprovals } from '#core/approvals/open-approvals.ts';
import { isSubAgent } from '#contract/flows/serving.ts';
import { AttentionFeed } from './attention.ts';
import { EventLog } from '#core/store/log/event-log.ts';
import { lend } from './lend.ts';
import { traced } from './traced.ts';
import { handlersOf, type HandlerPorts } from './handlers.ts';
import { priceOf } from '#core/model/prices.ts';
import { advanceIdsPast } from '#core/base/ids.ts';
import { OpenMessages } from '#core/store/log/open-messages.ts';
import { Orchestrator } from '#core/workflows/orchestrator.ts';
import { ProviderRequests } from '#core/model/provider-requests.ts';
import { inputName, problemWords } from '#core/base/problem-words.ts';
import { InterruptedWork } from '#core/workflows/interrupted-work.ts';
import { sweep } from '#core/workflows/recovery.ts';
import { SessionProjector } from '../records/sessions/projector.ts';
import type { McpServers } from '#core/mcp/mcp-servers.ts';
import { signalsOf } from '#core/settings/attention-settings.ts';
import { desktopChoicesOf } from '#core/settings/desktop-settings.ts';
import type { OwnFolders } from '#core/settings/folders.ts';
import type { Settings } from '#core/settings/settings.ts';
import type { Store } from '#core/store/store.ts';
import { keepTrash } from '#core/workflows/trash.ts';
import type { Workspaces } from '#core/workspace/workspaces.ts';
import type { Outputs } from '#core/workspace/outputs.ts';
import { Lenders } from '#core/workspace/lent/lenders.ts';
import { ToolRegistry } from '#core/tools/registry.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { Trust } from '#core/agents/trust.ts';
import { type RetryClock, systemClock } from '#core/model/request-retries.ts';

/** Everything that a host provides; nothing is looked up elsewhere. */
export interface RuntimePorts extends HandlerPorts {
  store: Store;
  agents: AgentFolders;
  trust: Trust;
  tools: readonly Tool[];
  mcp: McpServers;
  own: OwnFolders;
  /** Where what calls replace is kept. */
  workspaces: Workspaces;
  /** What embeds notes and reports now; null: they are found by their words alone. */
  embeddings: () => Promise<Embeddings | null>;
  /** Long outputs of calls, in the same folder. */
  outputs: Outputs;
  /** Times the waits between the attempts of a model request. Left out: the clock of the system. */
  retryClock?: RetryClock;
  /** Most events of one transaction. */
  groupSize?: number;
  /** Signs the grants of a store that others can write; left out for a store of this machine. */
  grantSigner?: GrantSigner | undefined;
  /** Gets warnings for the person, one line each. */
  warn?: ((line: string) => void) | undefined;
  /** Called once when events can no longer be stored. */
  onFailure?(error: TriadError): void;
}

export interface Runtime extends Client {
  /** Interrupts running workflows, records that, and closes the store. */
  close(): Promise<void>;
}

/** Recovers the work of a dead process, then serves. Takes ownership of the store. */
export async function createRuntime(ports: RuntimePorts): Promise<Runtime> {
  const { store } = ports;
  const closing = new AbortController();
  const attention = new AttentionFeed(() =>
    attentionOf({ engine, orchestrator, approvals, interrupted, settings: ports.settings }),
  );
  const interrupted = new InterruptedWork({ store, onChange: () => attention.changed() });
  const fail = (error: TriadError): void => {
    void orchestrator.interrupt('failure');
    ports.onFailure?.(error);
  };
  const log = new EventLog(store, fail, { groupSize: ports.groupSize, onDiskFull: () => attention.changed() });
  store.lost.addEventListener('abort', () => log.fail(store.lost.reason as TriadError), { once: true });
  const changed = (): void => {
    approvals.changed();
    attention.changed();
  };
  const engine = createEngine(ports, log, changed);
  const orchestrator = new Orchestrator(engine, changed);
  log.subscribe(null, (event) => engine.earlierLeads.onEvent(event));
  const sessions = createProjector(ports, engine, log);
  // Before recovery, too: what it ends is told.
  log.subscribe(null, (event) => void ('seq' in event && ports.telemetry.observe(event)));
  const approvals = approvalsOf(engine, orchestrator, () => {
    attention.changed();
    // Whatever has them read anew concerns these, too.
    interrupted.refresh().catch(() => undefined);
  });
  log.subscribe(null, (event) => void (closing.signal.aborted || interrupted.onEvent(event)));
  await recover(engine, sessions, ports.warn);
  await approvals.refresh();
  // Not awaited: the lists that it asks for may have to catch up with thousands of workflows first.
  interrupted.find(closing.signal).catch((error: TriadError) => ports.onFailure?.(error));
  log.subscribe(null, (event) => {
    const { type } = event;
    // A question leaves the list while its answer is being stored; this tells that it can be read.
    if (type === 'run-start' || type === 'run-end' || type === 'approval-decide') attention.changed();
    // Where the program ends, nobody reads the questions any more.
    if (!closing.signal.aborted) approvals.onEvent(event);
  });
  const handlers = handlersOf(ports, { engine, orchestrator, approvals, sessions });
  store.notices.onChange(() => attention.changed());
  ports.settings.onChange(() => attention.changed());
  ports.mcp.signIns.onWanted(() => attention.changed());
  keepTrash(store, ports.workspaces.changes, closing.signal);

  return {
    request: async <M extends MethodName>(method: M, input: Input<M>): Promise<Output<M>> => {
      if (!Object.hasOwn(methods, method)) throw new TriadError('bad_input', `There is no method "${method}"`);
      return handlers[method](parse(method, methods[method].input, input) as Parsed<M>);
    },
    subscribe: subscriberOf(engine, attention, ports.folder),
    close: async () => {
      closing.abort();
      log.stopWaiting();
      await endWork(ports, engine, orchestrator);
      await endRecords(ports, engine, sessions);
    },
  };
}

/** Longest wait of a start for undos that were cut off, in milliseconds: the disk of a workspace may not answer. */
const SETTLE_MS = 10_000;

/** What a process that died has left. */
async function recover(engine: Engine, sessions: SessionProjector, warn: RuntimePorts['warn']): Promise<void> {
  const { store, log, price, permissions } = engine;
  // New ids sort after all existing ones, even if the clock was set back.
  const [newest] = (await store.workflows({ limit: 1 })).items;
  if (newest) advanceIdsPast(newest.id);
  await sweep(store, log, price);
  await Promise.race([settleAllUndos(engine), delay(SETTLE_MS, undefined, { ref: false })]);
  await sessions.catchUp();
  await permissions.grants.load();
  const { unsignedCount } = permissions.grants;
  if (unsignedCount > 0)
    warn?.(`triad: Grants that another installation wrote to the shared store are ignored: ${unsignedCount}.`);
}

/** Interrupts what runs; then no program that was started for it is left. */
async function endWork({ shell, mcp }: RuntimePorts, engine: Engine, orchestrator: Orchestrator): Promise<void> {
  await engine.watch.close();
  await orchestrator.interrupt('shutdown');
  shell.end();
  mcp.signIns.end();
  await mcp.pool.end();
  engine.gate.close();
  await engine.trust.allowedTexts.settled();
}

async function endRecords(
  { providers, telemetry }: RuntimePorts,
  { store, log, price }: Engine,
  sessions: SessionProjector,
): Promise<void> {
  await providers.close();
  await log.flush();
  await sweep(store, log, price).catch(() => undefined);
  await log.flush();
  await Promise.all([sessions.close(), telemetry.close()]);
  await log.flush();
  await store.close();
}

interface Asking {
  engine: Engine;
  orchestrator: Orchestrator;
  approvals: OpenApprovals;
  interrupted: InterruptedWork;
  settings: Settings;
}

function attentionOf({ engine, orchestrator, approvals, interrupted, settings }: Asking): AttentionState {
  const { gate, log, mcp, store } = engine;
  const { signIns } = mcp;
  const cutOff = interrupted.list();
  return {
    ...(cutOff && { interrupted: cutOff }),
    ...(log.diskFull && { diskFull: errorInfo(log.diskFull) }),
    ...(store.notices.current && { storeNotice: store.notices.current }),
    signIns: signIns.wanted().filter(({ server }) => settings.mcp.servers[server]?.enabled !== false),
    signals: signalsOf(settings),
    desktop: desktopChoicesOf(settings),
    questions: gate.pending().map((approval) => structuredClone(approval)),
    asleep: approvals.dormant(),
    running: orchestrator.active().map(({ conversationId, id, title, runs, subAgents }) => ({
      conversationId,
      title,
      workflowId: id,
      runs: runs.size,
      subAgents: subAgents
        .summaries()
        .filter(isSubAgent)
        .map(({ runId }) => runId),
    })),
  };
}

function approvalsOf({ store, gate }: Engine, orchestrator: Orchestrator, onChange: () => void): OpenApprovals {
  return new OpenApprovals({
    store,
    gate,
    onChange,
    isActive: (workflowId) => orchestrator.active().some(({ id }) => id === workflowId),
    resume: (workflowId) => orchestrator.resume(workflowId),
  });
}

function subscriberOf(engine: Engine, attention: AttentionFeed, home: string): Client['subscribe'] {
  const { store, log, gate, watch, mcp } = engine;
  return async <T extends TopicName>(topic: T, input: TopicInput<T>, listener: (event: TopicEvent[T]) => void) => {
    if (!Object.hasOwn(topics, topic)) throw new TriadError('bad_input', `There is no topic "${topic}"`);
    // The topic determines the event type, which the compiler cannot infer here.
    const each = listener as (event: unknown) => void;
    if (topic === 'attention') {
      const { canAnswer, isAttended = canAnswer } = parse(topic, topics.attention, input);
      const leave = canAnswer ? gate.attach(isAttended) : () => undefined;
      const end = attention.subscribe(each);
      return () => {
        end();
        leave();
      };
    }
    if (topic === 'agents') {
      const { folder } = parse(topic, topics.agents, input);
      return watch.subscribe(await canonicalFolder(folder ?? home), () => each({ changed: true }));
    }
    if (topic === 'lent') return lend(engine, parse(topic, topics.lent, input), each);
    if (topic === 'mcp') {
      const folder = await canonicalFolder(parse(topic, topics.mcp, input).folder ?? home);
      return mcp.subscribe((changed) => void ((changed ?? folder) === folder && each({ changed: true })));
    }
    const { conversationId } = parse(topic, topics.conversation, input);
    const { agent } = await mustExist(store.conversation(conversationId), `There is no conversation ${conversationId}`);
    await log.open(conversationId);
    return log.subscribe(conversationId, (event) => each(traced(event, agent, log.chains)));
  };
}

/** Subscribes before recovery, so that the projector sees those events too. */
function createProjector(
  { store, settings, data, version }: RuntimePorts,
  { permissions }: Engine,
  log: EventLog,
): SessionProjector {
  const onFailure = (notice: EventDraft): void => void log.append(notice).catch(() => undefined);
  const sessions = new SessionProjector({
    store,
    settings,
    version,
    onFailure,
    data: data ?? null,
    projectOf: async (folder) => (await permissions.rules(folder)).project,
  });
  log.subscribe(null, (event) => {
    if ('seq' in event) sessions.observe(event);
  });
  return sessions;
}

function createEngine(ports: RuntimePorts, log: EventLog, onChange: () => void): Engine {
  const tools = new ToolRegistry(ports.tools);
  const { settings, agents, trust, mcp, providers, store, own, workspaces, outputs, shell } = ports;
  const gate = new ApprovalGate({
    onChange,
    saveClock: (requests) => {
      log
        .save(
          structuredClone(requests).map((request) => ({
            table: 'approval',
            key: request.id,
            change: (row) => ({ ...row, request }),
          })),
        )
        .catch(() => undefined);
    },
  });
  const permissions = new Permissions(new Grants(store, log, ports.grantSigner ?? null), {
    file: settings.file,
    isTrusted: (folder, hash) => trust.trusts(folder, PROJECT_CONFIG, hash),
    startedFrom: (folder) => mcp.startedFrom(folder),
  });
  mcp.useWorkspaces((folder) => workspaceOf({ own, permissions, workspaces }, folder, false));
  return {
    store,
    log,
    open: new OpenMessages(log),
    earlierLeads: new EarlierLeads(store),
    gate,
    permissions,
    agents,
    trust,
    own,
    workspaces,
    hybrid: hybridSearches(ports.embeddings, store.vectors),
    outputs,
    lenders: new Lenders(),
    shell,
    watch: new AgentWatch((folder) => agents.places(folder).flatMap(listWatchedFolders)),
    tools,
    mcp,
    envelopes: new Envelopes({ settings, tools, provider: () => providers.active, models: providers.models }),
    webSearch: ports.webSearch,
    settings,
    model: (name, conversationId) => providers.model(name, conversationId),
    knowModels: (name) => providers.knowModels(name),
    modelWarning: (name, model) => providers.models.warning(name, model),
    capabilities: (name, model) => providers.models.capabilities(name, model),
    price: (model, usage) => priceOf(ports.prices, model, usage),
    pricesFile: ports.prices.file,
    isTraced: () => ports.telemetry.isOn,
    requests: new ProviderRequests(providers, {
      clock: ports.retryClock ?? systemClock,
      isAttended: () => gate.isAttended,
      unattendedMs: () => settings.limits.unattended_wait_minutes * 60_000,
    }),
  };
}

function parse<S extends z.ZodType>(name: string, schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input, { error: problemWords });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new TriadError('bad_input', `${inputName(issue?.path ?? [], name)} ${issue?.message}`);
}
