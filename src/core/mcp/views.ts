/** MCP servers as a person sees them: how each is written, how it runs, and what it was last heard to offer. */
import type { McpServerView, McpTest, McpToolView } from '#contract/mcp/mcp-methods.ts';
import { mcpToolName } from '../agents/mcp-names.ts';
import { errorInfo } from '../base/errors.ts';
import type { ConfiguredServer, WrittenServer } from './configured.ts';
import { type Listing, lookOf } from './listings.ts';
import type { McpServers } from './mcp-servers.ts';
import type { McpServerState } from './mcp-server.ts';
import { serverWords } from './server-words.ts';

export async function serverViews(servers: McpServers, folder: string): Promise<McpServerView[]> {
  const [all, running] = [await servers.of(folder), servers.pool.state(folder)];
  return Promise.all(
    all.map(async (server) => {
      const listing = server.config === '' ? null : await servers.listings.get(server.config);
      const state = running.find((one) => one.name === server.name && one.source === server.source);
      return viewOf(server, listing, state ?? null, await signInOf(servers, server));
    }),
  );
}

/** Throws what `McpServers.usable` throws. */
export async function serverView(servers: McpServers, folder: string, name: string): Promise<McpServerView> {
  const found = (await serverViews(servers, folder)).find((view) => view.name === name && view.state !== 'overridden');
  if (found) return found;
  await servers.usable(folder, name);
  throw new Error(`${name} is usable and not in the list`);
}

/** Starts it where it does not run; what goes wrong then is part of the answer. */
export async function testServer(servers: McpServers, folder: string, name: string, ms: number): Promise<McpTest> {
  const server = await servers.usable(folder, name);
  const start = performance.now();
  const signal = AbortSignal.timeout(ms);
  const found = {
    resources: [] as McpTest['resources'],
    prompts: [] as McpTest['prompts'],
    error: null as string | null,
  };
  try {
    await beginAnew(servers, folder, server);
    const use = await servers.use(folder, server);
    try {
      await servers.hear(use.server, server, signal);
      const [resources, prompts] = await Promise.all([use.server.resources(signal), use.server.prompts(signal)]);
      found.resources = resources.map(({ uri, name: called, description }) => ({ uri, name: called, description }));
      found.prompts = prompts.map(({ arguments: args, name: called, description }) => ({
        name: called,
        description,
        arguments: args.map((arg) => ({ name: arg.name, description: arg.description, required: arg.isRequired })),
      }));
    } finally {
      use.release();
    }
  } catch (error) {
    found.error = signal.aborted
      ? `${serverWords(name)} did not answer within ${ms / 1000} s`
      : errorInfo(error).message;
  }
  return { ...found, server: await serverView(servers, folder, name), durationMs: performance.now() - start };
}

/** Its address may be made of values that there are not (yet). */
async function signInOf(servers: McpServers, server: ConfiguredServer): Promise<McpServerView['signIn']> {
  if (server.launch.url === undefined) return 'none';
  const resolved = await servers.resolved(server).catch(() => null);
  return resolved ? servers.signIns.stateOf(resolved) : 'none';
}

/** A person who tests what failed or was stopped does not wait for its next turn. */
async function beginAnew(servers: McpServers, folder: string, server: ConfiguredServer): Promise<void> {
  const state = servers.pool.state(folder).find(({ name }) => name === server.name);
  if (state?.status === 'failed' || state?.status === 'stopped')
    await servers.pool.restart(await servers.resolved(server), folder);
}

function viewOf(
  server: WrittenServer,
  listing: Listing | null,
  running: McpServerState | null,
  signIn: McpServerView['signIn'],
): McpServerView {
  const { name, source, file, launch, runs, state, fault, sampling, permissionsOf } = server;
  return {
    name,
    source,
    file,
    runs,
    state,
    fault,
    sampling,
    signIn,
    kind: launch.command === undefined ? 'http' : 'stdio',
    permissions: [...permissionsOf('')],
    process: running && processOf(running),
    heardAt: listing?.at ?? null,
    tools: (listing?.tools ?? []).map((tool): McpToolView => {
      const { state: known, description, before, hash } = lookOf(listing!, tool);
      return {
        name: mcpToolName(name, tool.name),
        tool: tool.name,
        description,
        inputSchema: tool.inputSchema,
        permissions: [...permissionsOf(tool.name)],
        hash,
        state: known,
        before,
        offered: server.offers(tool.name),
      };
    }),
  };
}

function processOf({
  status,
  since,
  pid,
  isSandboxed,
  users,
  error,
  retryAt,
  words,
  log,
}: McpServerState): McpServerView['process'] {
  const instant = (ms: number): string => new Date(ms).toISOString();
  return {
    status,
    pid,
    isSandboxed,
    users,
    error,
    words,
    log: [...log],
    since: instant(since),
    retryAt: retryAt === null ? null : instant(retryAt),
  };
}
