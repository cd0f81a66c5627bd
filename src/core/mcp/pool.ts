/** All servers that run, by folder and configuration: one process for however many agents. None outlives this program, however that ends. */
import type { StartPlace } from '#contract/approvals/trust-phrases.ts';
import type { McpLaunch } from '#contract/mcp/mcp-entry.ts';
import { TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { Stopped } from '../base/stop.ts';
import type {
  CallResult,
  JsonObject,
  PromptResult,
  ResourceContent,
  ResourceTemplate,
  ServerPrompt,
  ServerResource,
  ServerTool,
} from './answers.ts';
import type { ConnectPorts } from './connect.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './in-flight.ts';
import { takenAway } from './lent-servers.ts';
import { type McpServerState, PooledServer } from './pooled-server.ts';
import { findStartPlace } from './server-start.ts';
import type { McpServer } from './server.ts';

export interface McpPoolPorts extends ConnectPorts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The state of a server of this folder, or what it offers, has changed. */
  readonly onChange: (folder: string) => void;
  /** How long a server that nobody uses is kept, in milliseconds. */
  readonly idleMs?: number;
}

const IDLE_MS = 60_000;

/** One user of a server. Its requests throw what `PooledServer.with` and `Connection.call` throw. */
export interface McpUse {
  readonly server: McpServer;
  tools(signal: AbortSignal): Promise<readonly ServerTool[]>;
  call(name: string, args: JsonObject, options: CallOptions): Promise<CallResult>;
  resources(signal: AbortSignal): Promise<readonly ServerResource[]>;
  resourceTemplates(signal: AbortSignal): Promise<readonly ResourceTemplate[]>;
  readResource(uri: string, signal: AbortSignal): Promise<readonly ResourceContent[]>;
  prompts(signal: AbortSignal): Promise<readonly ServerPrompt[]>;
  getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<PromptResult>;
  /** May be called more than once; nothing may be asked afterwards. */
  release(): void;
}

export class McpPool {
  readonly #ports: McpPoolPorts;
  readonly #servers = new Map<string, PooledServer>();
  #hasEnded = false;

  constructor(ports: McpPoolPorts) {
    this.#ports = ports;
  }

  /** Counts a user; starts nothing before something is asked. Throws `interrupted` after the end. */
  use(server: McpServer, folder: string): McpUse {
    const pooled = this.#pooled(server, folder);
    const release = pooled.hold();
    let isOver = false;
    const ask = async <T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> => {
      if (this.#hasEnded) throw new Stopped('shutdown');
      if (isOver) throw new TriadError('internal', `The use of the MCP server "${server.name}" is over`);
      return pooled.with(signal, work);
    };
    return {
      server,
      tools: (signal) => ask(signal, (it) => it.tools(signal)),
      call: (name, args, options) => ask(options.signal, (it) => it.call(name, args, options)),
      resources: (signal) => ask(signal, (it) => it.resources(signal)),
      resourceTemplates: (signal) => ask(signal, (it) => it.resourceTemplates(signal)),
      readResource: (uri, signal) => ask(signal, (it) => it.readResource(uri, signal)),
      prompts: (signal) => ask(signal, (it) => it.prompts(signal)),
      getPrompt: (name, args, signal) => ask(signal, (it) => it.getPrompt(name, args, signal)),
      release: () => {
        isOver = true;
        release();
      },
    };
  }

  /** Returns where a server of a project starts; null for an address. Starts nothing. */
  findStartPlace(launch: McpLaunch, folder: string): Promise<StartPlace | null> {
    return findStartPlace(launch, folder, this.#ports);
  }

  /** Those that are used, and the last of each name that was. Their order is that of their first use. */
  state(folder: string): readonly McpServerState[] {
    return [...this.#servers.values()].filter((one) => one.folder === folder).map((one) => one.state);
  }

  /** Ends it where it runs and starts it, used or not. Throws like a first use. */
  restart(server: McpServer, folder: string): Promise<void> {
    return this.#pooled(server, folder).restart();
  }

  /** Resolves when nothing of it is left. */
  async stop(server: McpServer, folder: string): Promise<void> {
    await this.#pooled(server, folder).stop();
  }

  /** The same of all of a name, in whatever folder. */
  async stopNamed(name: string): Promise<void> {
    await Promise.all(this.#named(name).map((one) => one.stop()));
  }

  /** Ends all of a name, in whatever folder; the next use starts one anew. Resolves when nothing of them is left. */
  async endNamed(name: string): Promise<void> {
    await Promise.all(this.#named(name).map((one) => one.stop('idle')));
  }

  /** The same of all that a client had passed under this id, and forgets them. */
  async endLent(lending: string): Promise<void> {
    const lent = [...this.#servers].filter(([, one]) => one.server.lending === lending);
    for (const [key] of lent) this.#servers.delete(key);
    await Promise.all(
      lent.map(([, one]) => one.stop('stopped', new Stopped('user', takenAway(one.server.name).message))),
    );
  }

  /** Those of a name that failed are tried again at the next use, without a wait. */
  retryNamed(name: string): void {
    for (const one of this.#named(name)) one.retry();
  }

  /** Ends all of them; resolves when nothing of them is left. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all([...this.#servers.values()].map((one) => one.stop('stopped', new Stopped('shutdown'))));
  }

  #named(name: string): PooledServer[] {
    return [...this.#servers.values()].filter((one) => one.server.name === name);
  }

  #pooled(server: McpServer, folder: string): PooledServer {
    if (this.#hasEnded) throw new Stopped('shutdown');
    const key = keyOf(server, folder);
    const known = this.#servers.get(key);
    if (known) return known;
    const pooled = new PooledServer(server, folder, {
      connect: async (parts, signal) => {
        // The SDK takes long to load, and most work needs no server.
        const { connect } = await import('./connect.ts');
        return connect({ server, folder, ...parts }, this.#ports, signal);
      },
      now: this.#ports.now,
      idleMs: this.#ports.idleMs ?? IDLE_MS,
      onChange: () => this.#ports.onChange(folder),
      onRest: () => {
        if (this.#namesakes(pooled).length > 0) this.#servers.delete(key);
      },
    });
    for (const [other, one] of this.#namesakes(pooled)) if (one.isAtRest) this.#servers.delete(other);
    this.#servers.set(key, pooled);
    return pooled;
  }

  /** The same name, configured in another way: at rest it is kept to be looked at only where it is the last. */
  #namesakes(pooled: PooledServer): [string, PooledServer][] {
    const { folder, server } = pooled;
    return [...this.#servers].filter(
      ([, one]) => one !== pooled && one.folder === folder && one.server.name === server.name,
    );
  }
}

function keyOf(server: McpServer, folder: string): string {
  return canonicalHash({ folder, server });
}
