/** The handler of each rpc method: thin calls to the orchestrator, the approvals and the store. */
import type { DurableEvent } from '#contract/event.ts';
import type { ProviderState } from '#contract/providers/provider.ts';
import type { Output } from '#contract/rpc.ts';
import type { Engine } from '#core/runs/engine.ts';
import { mustExist } from '#core/base/errors.ts';
import type { LiveSettings } from '#core/settings/live-settings.ts';
import type { Handlers } from './methods/handlers.ts';
import { createConversation, refuseUnknown } from './new-conversation.ts';
import type { Services } from './services.ts';
import { tracedAll } from './traced.ts';
import { agentFileMethods, agentFiles } from './methods/agent-files.ts';
import { agentMethods } from './methods/agents.ts';
import { changeMethods } from './methods/changes.ts';
import { folderMethods } from './methods/folders.ts';
import { filterMethods, historyMethods } from './methods/history.ts';
import { trashMethods } from './methods/trash.ts';
import { contextMethods } from './methods/context.ts';
import { mcpMethods } from './methods/mcp.ts';
import { messageMethods } from './methods/messages.ts';
import { permissionMethods } from './methods/permissions.ts';
import { ruleMethods } from './methods/rules.ts';
import { priceMethods } from './methods/prices.ts';
import { providerMethods } from './methods/provider.ts';
import { settingMethods } from './methods/settings.ts';
import { securityMethods } from './methods/security.ts';
import { telemetryMethods } from './methods/telemetry.ts';
import { sessionMethods } from './methods/sessions.ts';
import { workMethods } from './methods/work.ts';
import { providerTraits } from '#core/model/provider-traits.ts';
import { NO_USAGE } from '#core/model/model.ts';
import { priceOf, type PriceTable } from '#core/model/prices.ts';
import type { Providers } from '#core/model/providers/providers.ts';
import type { SearchEndpoint } from '#core/tools/web/search-endpoint.ts';
import { setLead } from '#core/workflows/set-lead.ts';
import { snapshot, workflowShown } from '../records/snapshots.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { ShellHost } from '#core/workspace/shell/run-shell.ts';
import { writes } from '#core/tools/tool.ts';

export interface HandlerPorts {
  version: string;
  /** Default folder for new conversations. */
  folder: string;
  providers: Providers;
  settings: LiveSettings;
  webSearch: SearchEndpoint;
  prices: PriceTable;
  telemetry: Telemetry;
  /** Where commands are run. */
  shell: ShellHost;
  /** The data folder, for session files and records of changes; left out: none are written. */
  data?: string;
}

/** Most events of one `conversation.events` reply. */
const EVENTS = 1000;

const STOPS = {
  person: 'user',
  output: 'output',
  SIGTERM: 'terminated',
  SIGHUP: 'hangup',
  unwritable: 'unwritable',
} as const;

export function handlersOf(ports: HandlerPorts, services: Services): Handlers {
  const { providers, telemetry, version } = ports;
  const { engine, orchestrator } = services;
  const { store, log, open } = engine;
  const conversation = (id: string) => mustExist(store.conversation(id), `There is no conversation ${id}`);
  const workflow = (id: string) => mustExist(store.workflow(id), `There is no workflow ${id}`);
  /** Reads between two commits, so that the snapshot is the state as of one event. */
  const pageOf = async ({ conversationId, before }: { conversationId: string; before?: string }) => {
    await conversation(conversationId);
    await log.open(conversationId);
    return log.exclusive(conversationId, (seq) => snapshot(store, open, conversationId, seq, before));
  };
  const appState = () => appStateOf(ports, engine);
  const files = agentFiles(engine);
  return {
    'app.state': appState,
    ...providerMethods({ providers, webSearch: ports.webSearch, appState }),
    ...priceMethods(engine, ports),
    'lent.answer': ({ id, answer }) => ({ taken: engine.lenders.answer(id, answer) }),
    ...agentMethods(engine, ports.folder),
    ...agentFileMethods(engine, files, ports.folder),
    ...settingMethods({ engine, files, settings: ports.settings, home: ports.folder, providers, telemetry }),
    ...folderMethods,
    'conversation.list': (page) => store.conversations(page),
    'conversation.create': (asked) => createConversation(engine, asked, ports.folder),
    'conversation.get': ({ conversationId }) => conversation(conversationId),
    'conversation.snapshot': pageOf,
    'conversation.earlier': pageOf,
    'conversation.events': async ({ conversationId, after }) => {
      const { agent } = await conversation(conversationId);
      return tracedAll(await eventsAfter(engine, conversationId, after), agent, log);
    },
    'conversation.set': async ({ conversationId, agent }) => {
      const { folder } = await conversation(conversationId);
      await refuseUnknown(engine, folder, agent);
      await setLead(engine, orchestrator, conversationId, agent);
      return conversation(conversationId);
    },
    ...messageMethods(services, ports),
    ...telemetryMethods(store, telemetry),
    ...securityMethods(ports.shell),
    ...historyMethods(engine, version),
    ...filterMethods(ports.settings),
    ...trashMethods(services),
    ...workMethods(services),
    ...changeMethods(services),
    ...contextMethods(services),
    ...mcpMethods(engine, ports.settings, ports.folder),
    ...sessionMethods(services),
    ...permissionMethods(engine, ports.folder),
    ...ruleMethods(engine, ports),
    'workflow.get': async ({ workflowId }) => workflowShown(store, await workflow(workflowId)),
    'workflow.stop': ({ workflowId, cause, withdrawQueued }) =>
      orchestrator.stopWorkflow(workflowId, STOPS[cause], withdrawQueued),
    'workflow.resume': async ({ workflowId, approve }) => {
      await orchestrator.resume(workflowId, approve);
      return {};
    },
  };
}

/** Between two commits: what is stored while a range is read would leave a gap in it. */
async function eventsAfter({ store, log }: Engine, conversationId: string, after: number): Promise<DurableEvent[]> {
  await log.open(conversationId);
  return log.exclusive(conversationId, () => store.events(conversationId, after + 1, after + EVENTS));
}

async function appStateOf(
  { version, folder, providers, prices, settings: { file } }: HandlerPorts,
  { tools, settings, envelopes }: Engine,
): Promise<Output<'app.state'>> {
  const { leadWrites } = providerTraits(providers.active);
  const setup = envelopes.setup(providers.active);
  const offered = tools
    .all()
    .filter((tool) => !writes(tool) || (leadWrites?.includes(tool.name) ?? true))
    .filter((tool) => (tool.missing?.(setup) ?? null) === null);
  return {
    version,
    folder,
    settingsFile: file,
    provider: priced(await providers.state(), prices),
    providers: (await providers.states()).map((one) => priced(one, prices)),
    secrets: providers.keyPlace,
    tools: offered.map((tool) => ({
      name: tool.name,
      description: tool.describe(settings.limits.max_sub_agents),
      baseline: tool.baseline,
      primaryOnly: tool.primaryOnly,
    })),
    maxSubAgents: settings.limits.max_sub_agents,
  };
}

/** With what each of its models costs to read. */
function priced(provider: ProviderState, prices: PriceTable): ProviderState {
  const models = provider.models.map((one) => {
    const { nanoUsd } = priceOf(prices, one.id, { ...NO_USAGE, inputTokens: 1000 });
    return { ...one, inputPrice: nanoUsd === null ? null : nanoUsd / 1e6 };
  });
  return { ...provider, models };
}
