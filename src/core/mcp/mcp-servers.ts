/** The MCP servers of the program: which there are in a folder, what of them a run is offered, and how its calls reach them. */
import { isAbsolute, relative, resolve as resolvePath, sep } from 'node:path';
import type { McpOffer } from '#contract/agent.ts';
import type { KnownServers } from '../agents/check-servers.ts';
import type { Trust } from '../agents/trust.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { escapePattern } from '../base/pattern.ts';
import type { ServerTool } from './answers.ts';
import type { Settings } from '../settings/settings.ts';
import type { Workspace } from '../workspace/reach.ts';
import type { ShellHost } from '../workspace/shell/run-shell.ts';
import { type ConfiguredServer, serversOf, unusable, type WrittenServer } from './configured.ts';
import { LentServers, takenAway } from './lent-servers.ts';
import { type Listing, type Listings, listingsIn } from './listings.ts';
import { offerOf, unknownTools } from './offers.ts';
import type { McpServer } from './mcp-server.ts';
import type { McpPool, McpUse } from './pool.ts';
import { resolve, secretName, type Values } from './resolve.ts';
import type { McpServerConfig } from './server-config.ts';
import type { WorkspaceSandbox } from './server-start.ts';
import type { SignIns } from './sign-ins.ts';

export interface McpPorts extends Values {
  settings: Pick<Settings, 'mcp'> & { readonly file: string };
  trust: Pick<Trust, 'trusts'>;
  pool: McpPool;
  shell: ShellHost;
  signIns: SignIns;
  /** The data folder; null: nothing is kept. */
  data: string | null;
}

/** How long a lead that has never heard a server waits for it, in milliseconds. */
const FIRST_LIST_MS = 20_000;

export class McpServers {
  readonly pool: McpPool;
  readonly signIns: SignIns;
  readonly listings: Listings;
  /** What clients pass with their conversations. */
  readonly lent: LentServers;
  readonly #ports: McpPorts;
  #findWorkspace: ((folder: string) => Promise<Workspace>) | null = null;
  readonly #listeners = new Set<(folder: string | null) => void>();
  /** The last list of each configuration. */
  readonly #heard = new Map<string, readonly ServerTool[]>();

  constructor(ports: McpPorts) {
    this.#ports = ports;
    this.pool = ports.pool;
    this.signIns = ports.signIns;
    this.listings = listingsIn(ports.data);
    this.lent = new LentServers({ data: ports.data, end: (lending) => this.pool.endLent(lending) });
  }

  /** Sets how the workspace of a folder is found. No server starts before. */
  useWorkspaces(find: (folder: string) => Promise<Workspace>): void {
    this.#findWorkspace = find;
  }

  /** Returns the sandbox of the workspace of a folder; null if none protects it. */
  async sandboxFor(folder: string): Promise<WorkspaceSandbox | null> {
    if (this.#findWorkspace === null) throw new Error('No workspace is known yet');
    const workspace = await this.#findWorkspace(folder);
    const { shell } = this.#ports;
    const sandbox = await shell.sandboxFor(workspace);
    return sandbox && { sandbox, workspace, options: shell.options };
  }

  /** All that are written for a folder, the person's first; of two with one name the person's is used. */
  of(folder: string): Promise<WrittenServer[]> {
    return serversOf(folder, this.#ports);
  }

  /**
   * Patterns of the files in a folder that a server of it is started from: its program and the arguments that may be
   * paths. Whoever writes there decides what runs with the next start.
   */
  async startedFrom(folder: string): Promise<string[]> {
    const [written, passed] = await Promise.all([this.of(folder), this.lent.commandsIn(folder)]);
    const commands = [
      ...written.map(({ launch: { command, args, cwd } }) => ({ words: command ? [command, ...args] : [], cwd })),
      ...passed.map((words) => ({ words, cwd: undefined })),
    ];
    const found = commands.flatMap(({ words, cwd }) => {
      const at = resolvePath(folder, cwd ?? '.');
      return words.filter((word) => /[./\\]/.test(word)).map((word) => relative(folder, resolvePath(at, word)));
    });
    const inside = found.filter((path) => path !== '' && !path.startsWith('..') && !isAbsolute(path));
    return [...new Set(inside)].map((path) => escapePattern(path.split(sep).join('/')));
  }

  /** Those that clients pass to a conversation now; where one of the folder has the name, it is that which is used. */
  async passedTo(conversationId: string, folder: string): Promise<ConfiguredServer[]> {
    const passed = await this.lent.of(conversationId);
    if (passed.length === 0) return [];
    const taken = new Set((await this.of(folder)).map(({ name }) => name));
    return passed.map((one) => (taken.has(one.name) ? { ...one, state: 'overridden' as const } : one));
  }

  /**
   * The one that is used under a name, in a conversation also one that is passed to it. Throws `not_found`, `not_allowed`
   * where it may not be used, `disconnected` where its client has gone.
   */
  async usable(folder: string, name: string, conversationId: string | null = null): Promise<ConfiguredServer> {
    const passed = conversationId === null ? [] : await this.passedTo(conversationId, folder);
    const all = [...(await this.of(folder)), ...passed];
    const found = all.find((server) => server.name === name);
    if (found?.state === 'usable') return found;
    if (found) throw unusable(found);
    if (conversationId !== null && this.lent.hasLeft(conversationId, name)) throw takenAway(name);
    const names = all.map((server) => server.name).join(', ') || 'none';
    throw new TriadError('not_found', `There is no MCP server "${name}" here (there are: ${names})`);
  }

  /** With the values of the environment and of the key store. Throws what `resolve` throws. */
  resolved(server: ConfiguredServer): Promise<McpServerConfig> {
    return resolve(server, this.#ports);
  }

  /** Counts a user of a server; it starts with the first thing that is asked of it. Throws what `resolve` throws. */
  async use(folder: string, server: ConfiguredServer): Promise<McpUse> {
    return this.pool.use(await this.resolved(server), folder);
  }

  /**
   * Changes the person's servers: one of this name is ended, its secrets are kept or with null forgotten. `write` saves
   * what the settings say of it, which decides who may start it again; with a secret that was replaced nobody does.
   */
  async change(
    name: string,
    secrets: Readonly<Record<string, string | null>>,
    write: () => Promise<void>,
  ): Promise<void> {
    await this.pool.stopNamed(name);
    await write();
    for (const [key, value] of Object.entries(secrets)) await this.#ports.secrets.set(secretName(name, key), value);
    if (Object.values(secrets).every((value) => value === null)) await this.pool.endNamed(name);
    this.changed();
  }

  /** Calls when something about servers has changed, in this folder or (null) perhaps in any. Returns the end of that. */
  subscribe(listener: (folder: string | null) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(folder: string | null = null): void {
    for (const listener of this.#listeners) listener(folder);
  }

  /** What a server offers now, kept for later runs. Starts it where it does not run. */
  async hear(mcpServer: McpServer, { config }: ConfiguredServer, signal: AbortSignal): Promise<Listing> {
    const tools = await mcpServer.tools(signal);
    const known = await this.listings.get(config);
    // The same list as last time: nothing was said since.
    if (known !== null && this.#heard.get(config) === tools) return known;
    const none = (): never[] => [];
    const [resources, templates] = await Promise.all([
      mcpServer.resources(signal).catch(none),
      mcpServer.resourceTemplates(signal).catch(none),
    ]);
    const listing = await this.listings.heard(config, {
      tools,
      resources: resources.length + templates.length > 0,
    });
    this.#heard.set(config, tools);
    this.changed();
    return listing;
  }

  /**
   * What a new lead is offered: of each server that may be used what the person knows of it. One that was never heard is
   * started for that. `notices`: what it goes without, and why, a sentence each.
   */
  async offers(folder: string): Promise<{ offers: McpOffer[]; notices: string[] }> {
    return this.offersOf(folder, await this.#allUsable(folder));
  }

  /** The same of these. */
  async offersOf(
    folder: string,
    servers: readonly ConfiguredServer[],
  ): Promise<{ offers: McpOffer[]; notices: string[] }> {
    const found = await Promise.all(
      servers.map(async (server) => {
        try {
          const listing = (await this.listings.get(server.config)) ?? (await this.#firstListing(folder, server));
          return { offer: offerOf(server, listing), notice: newWords(server.name, unknownTools(server, listing)) };
        } catch (error) {
          return {
            offer: null,
            notice: `${errorInfo(error).message}. The lead goes without it${server.source === 'client' ? '' : `: "triad mcp disable ${server.name}" switches it off`}`,
          };
        }
      }),
    );
    return {
      offers: found.flatMap(({ offer }) => (offer && offer.tools.length > 0 ? [offer] : [])),
      notices: found.flatMap(({ notice }) => notice ?? []),
    };
  }

  /** The same of those that were heard before; starts none. */
  async heardOffers(folder: string): Promise<McpOffer[]> {
    const found = await Promise.all(
      (await this.#allUsable(folder)).map(async (server) => {
        const listing = await this.listings.get(server.config);
        return listing ? [offerOf(server, listing)] : [];
      }),
    );
    return found.flat().filter(({ tools }) => tools.length > 0);
  }

  /** What can be said of a folder's servers without starting one. */
  async known(folder: string): Promise<KnownServers> {
    return knownServers(await this.of(folder), this.listings);
  }

  async #allUsable(folder: string): Promise<ConfiguredServer[]> {
    return (await this.of(folder)).filter(({ state }) => state === 'usable');
  }

  async #firstListing(folder: string, server: ConfiguredServer): Promise<Listing> {
    const use = await this.use(folder, server);
    const signal = AbortSignal.timeout(FIRST_LIST_MS);
    try {
      return await this.hear(use.server, server, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      const message = `The MCP server "${server.name}" did not say within ${FIRST_LIST_MS / 1000} s what it offers ("triad mcp test ${server.name}" waits longer)`;
      throw new TriadError('unreachable', message);
    } finally {
      use.release();
    }
  }
}

export async function knownServers(
  servers: readonly ConfiguredServer[],
  listings: Pick<Listings, 'get'>,
): Promise<KnownServers> {
  const used = servers.filter(({ state }) => state !== 'overridden');
  const named = used.map(async (server) => {
    const listing = server.config === '' ? null : await listings.get(server.config);
    const tools = listing && offerOf(server, listing).tools.map(({ name }) => name);
    return [server.name, { isUsable: server.state === 'usable', tools }] as const;
  });
  return new Map(await Promise.all(named));
}

/** Names that are told one by one. */
const NAMED = 5;

function newWords(server: string, tools: readonly string[]): string | null {
  if (tools.length === 0) return null;
  const names = [...tools.slice(0, NAMED), ...(tools.length > NAMED ? [`${tools.length - NAMED} more`] : [])].join(
    ', ',
  );
  return `Without what is new at the MCP server ${server} (${names}): agree to it with "triad mcp accept ${server}", or on its page`;
}
