/** Composes the runtime of this machine from settings, agents, prices, provider and tools. */
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AgentFolders } from '#core/agents/agent-folders.ts';
import { GrantSigner } from '#core/approvals/grant-signer.ts';
import { builtinPlaces, userPlaces } from '#core/agents/places.ts';
import type { TriadError } from '#core/base/errors.ts';
import { literalOf } from '#core/base/pattern.ts';
import { fetchFor } from '#core/base/outgoing.ts';
import { LiveSettings } from '#core/settings/live-settings.ts';
import { createModel, preloadAdapter } from '#core/model/adapters.ts';
import { AnsweredHosts } from '#core/model/answered-hosts.ts';
import { ModelLists } from '#core/model/model-lists.ts';
import { loadPrices } from '#core/model/prices.ts';
import { type ProviderPorts, Providers } from '#core/model/providers/providers.ts';
import { createRuntime, type Runtime, type RuntimePorts } from '../runtime/runtime.ts';
import { providerEntry } from '#core/settings/provider-settings.ts';
import { tellSecrets } from '#core/settings/known-secrets.ts';
import { loadSettings } from '#core/settings/settings.ts';
import { ownFolders, REPLACED } from '#core/settings/folders.ts';
import { folderOf } from '#core/store/opening/folder.ts';
import type { Store } from '#core/store/store.ts';
import { remoteAddress } from '#core/store/remote/address.ts';
import { Outputs } from '#core/workspace/outputs.ts';
import { ShellHost } from '#core/workspace/shell/run-shell.ts';
import { Workspaces } from '#core/workspace/workspaces.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { SearchEndpoint } from '#core/tools/web/search-endpoint.ts';
import { Telemetry, type TelemetryPorts } from '../telemetry/telemetry.ts';
import { Trust } from '#core/agents/trust.ts';
import { McpPool } from '#core/mcp/pool.ts';
import { SignIns } from '#core/mcp/sign-ins.ts';
import { McpServers } from '#core/mcp/mcp-servers.ts';
import type { HostingOptions } from './options.ts';

/** Loads everything that does not need the store; resolves with a function that creates the runtime on a store. */
export async function composeRuntime(
  { folders: { config, data }, secrets, environment, version, folder, works, warn }: HostingOptions,
  onFailure: (error: TriadError) => void,
): Promise<(store: Store) => Promise<Runtime>> {
  const kept = join(data, REPLACED);
  const workspaces = new Workspaces({ kept, data }, environment.programs);
  const shell = new ShellHost(environment.programs, workspaces);
  const [tools, trust] = [allTools(shell), new Trust(data)];
  const agents = new AgentFolders({
    tools,
    warn,
    trust,
    places: [...builtinPlaces(), ...userPlaces(config, homedir())],
  });
  // Warms the cache while the store opens: the first workflow then reads only changed files.
  const read = works ? agents.of(folder).catch(() => undefined) : undefined;
  const [initial, prices, own] = await Promise.all([
    loadSettings(config),
    loadPrices(config),
    ownFolders({ config, data }, environment.storeUrl === undefined ? null : folderOf(environment.storeUrl)),
    read,
  ]);
  // Loads the SDK while the store opens, if requests are likely. A failure shows at the first request.
  if (works)
    void preloadAdapter(providerEntry(initial.providers, initial.providers.active)?.type).catch(() => undefined);
  const settings = new LiveSettings(config, initial, (now) => tellSecrets(now, environment.programs));
  const isShared = environment.storeUrl !== undefined && remoteAddress(environment.storeUrl) !== null;
  const grantSigner = isShared ? await GrantSigner.load(secrets) : undefined;
  const outputs = new Outputs(kept);
  const ports = {
    version,
    agents,
    trust,
    tools,
    settings,
    prices,
    folder,
    data,
    own,
    workspaces,
    outputs,
    shell,
    grantSigner,
    onFailure,
    warn,
  };
  return (store) => runtimeOf({ ...ports, store, secrets, environment });
}

type Composed = Omit<RuntimePorts, 'providers' | 'mcp' | 'webSearch' | 'telemetry' | 'embeddings'> &
  Partial<Pick<RuntimePorts, 'embeddings'>> &
  Pick<TelemetryPorts, 'warn'> &
  Omit<ProviderPorts, 'createModel' | 'lists' | 'hosts'>;

/** The real provider on these ports: what every runtime has, whatever it was made for. */
export async function runtimeOf({ secrets, environment, createDemo, ...ports }: Composed): Promise<Runtime> {
  const providers = new Providers({
    lists: ports.data === undefined ? new ModelLists() : await ModelLists.load(ports.data),
    hosts: ports.data === undefined ? new AnsweredHosts() : await AnsweredHosts.load(ports.data),
    settings: ports.settings,
    secrets,
    environment,
    createModel,
    ...(createDemo ? { createDemo } : {}),
  });
  ports.agents.useModels(providers.models);
  ports.shell.useSettings(() => ports.settings.sandbox);
  const webSearch = new SearchEndpoint({ settings: ports.settings, secrets });
  const mcp = mcpOf({ ...ports, secrets });
  ports.agents.useRoots(ports.workspaces.roots);
  ports.agents.useServers((folder) => mcp.known(folder));
  ports.workspaces.controlFiles.useStartedFiles(async (folder) =>
    (await mcp.startedFrom(folder)).flatMap((pattern) => literalOf(pattern) ?? []),
  );
  const telemetry = new Telemetry({ ...ports, secrets, env: ports.shell.env });
  return createRuntime({ embeddings: () => providers.embeddings(), ...ports, providers, webSearch, mcp, telemetry });
}

function mcpOf({
  settings,
  trust,
  secrets,
  shell,
  version,
  data,
}: Pick<Composed, 'settings' | 'trust' | 'secrets' | 'shell' | 'version' | 'data'>): McpServers {
  const { env } = shell;
  const signIns = new SignIns({
    secrets,
    onChange: (name, isIn) => {
      if (isIn) pool.retryNamed(name);
      servers.changed();
    },
  });
  const pool = new McpPool({
    env,
    version,
    now: () => Date.now(),
    onChange: (folder) => servers.changed(folder),
    auth: (name, url) => signIns.access(name, url),
    fetch: fetchFor('mcp'),
    sandboxFor: (folder) => servers.sandboxFor(folder),
    ensureSettled: async (folder) => {
      const path = await realpath(folder).catch(() => folder);
      await shell.workspaces?.ensureStart(path);
    },
    neutralFolder: shell.workspaces && join(shell.workspaces.caches, 'servers'),
  });
  const servers = new McpServers({
    settings,
    trust,
    secrets,
    environment: env,
    pool,
    shell,
    signIns,
    data: data ?? null,
  });
  return servers;
}
