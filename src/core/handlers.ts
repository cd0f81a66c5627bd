/** What each method of the contract does: thin words over the orchestrator, the gate and the store. */
import { realpath, stat } from 'node:fs/promises';
import type { Output } from '#contract/rpc.ts';
import type { ConversationRow } from '#contract/view.ts';
import type { Engine } from './engine.ts';
import { mustExist, TriadError } from './errors.ts';
import { newId } from './ids.ts';
import type { LiveSettings } from './live-settings.ts';
import type { Handlers } from './methods/handlers.ts';
import { historyMethods } from './methods/history.ts';
import { providerMethods } from './methods/provider.ts';
import { workMethods } from './methods/work.ts';
import { DEMO } from './model/models.ts';
import type { Orchestrator } from './orchestrator.ts';
import type { Provider } from './provider.ts';
import { snapshot, workflowDetail } from './snapshots.ts';
import { writes } from './tools/tool.ts';
import { ZERO } from './usage.ts';

export interface HandlerPorts {
  version: string;
  /** Folder for conversations that name none. */
  folder: string;
  provider: Provider;
  settings: LiveSettings;
}

/** Of one answer to those who were away. */
const EVENTS = 1000;

export function handlersOf(ports: HandlerPorts, engine: Engine, orchestrator: Orchestrator): Handlers {
  const { provider, version } = ports;
  const { store, registry, log, open, gate, tools } = engine;
  const conversation = (id: string) => mustExist(store.conversation(id), `There is no conversation ${id}`);
  const workflow = (id: string) => mustExist(store.workflow(id), `There is no workflow ${id}`);
  /** As of one event, between two commits. */
  const pageOf = async ({ conversationId, before }: { conversationId: string; before?: string }) => {
    await conversation(conversationId);
    await log.open(conversationId);
    return log.exclusive(conversationId, (seq) => snapshot(store, open, conversationId, seq, before));
  };
  /** The demo is given nothing that could write. */
  const offered = () => tools.all().filter((tool) => provider.name !== DEMO || !writes(tool));
  const appState = async (): Promise<Output<'app.state'>> => ({
    version,
    folder: ports.folder,
    provider: await provider.state(),
    secrets: provider.place,
    tools: offered().map((tool) => ({
      name: tool.name,
      description: tool.describe(registry.delegable()),
      baseline: tool.baseline,
      primaryOnly: tool.primaryOnly,
    })),
    maxSubAgents: engine.settings.limits.max_sub_agents,
  });
  return {
    'app.state': appState,
    ...providerMethods({ provider, settings: ports.settings, appState }),
    'agents.list': () => registry.list({ enabled: true }).filter((agent) => agent.lifecycle === 'permanent'),
    'conversation.list': (page) => store.conversations(page),
    'conversation.create': async ({ folder, agent }) => {
      // Told before anything is made: without a provider no message could be sent in it.
      await engine.model();
      return createConversation(engine, await canonicalFolder(folder ?? ports.folder), agent ?? 'lead');
    },
    'conversation.snapshot': pageOf,
    'conversation.earlier': pageOf,
    'conversation.events': async ({ conversationId, after }) => {
      await conversation(conversationId);
      return store.events(conversationId, after + 1, after + EVENTS);
    },
    'message.send': async ({ conversationId, text, approve }) =>
      orchestrator.send(await conversation(conversationId), text, approve),
    ...historyMethods({ engine, orchestrator, version }),
    ...workMethods(engine, orchestrator),
    'workflow.get': async ({ workflowId }) => workflowDetail(store, await workflow(workflowId)),
    'workflow.stop': ({ workflowId, cause }) =>
      orchestrator.stopWorkflow(workflowId, cause === 'output' ? 'output' : 'user'),
    'workflow.resume': async ({ workflowId, approve }) => {
      await orchestrator.resume(workflowId, approve);
      return {};
    },
    'run.get': ({ runId }) => mustExist(store.run(runId), `There is no run ${runId}`),
    'run.entries': ({ runId }) => store.entriesOf(runId),
    'run.stop': ({ runId }) => orchestrator.stopRun(runId),
    'approval.decide': ({ approvalId, item, answer }) => gate.decide(approvalId, item, answer),
  };
}

async function createConversation(
  { store, log, registry }: Engine,
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
