/** All servers that run, by folder and configuration: one process for however many agents. None outlives this program, however that ends. */
import type { StartPlace } from '#contract/approvals/trust-phrases.ts';
import type { McpLaunch } from '#contract/mcp/mcp-entry.ts';
import { canonicalHash } from '../base/hash.ts';
import { Stopped } from '../base/stop.ts';
import type { ConnectPorts } from './connect.ts';
import { takenAway } from './lent-servers.ts';
import { McpServer, type McpServerState } from './mcp-server.ts';
import { findStartPlace } from './server-start.ts';
import type { McpServerConfig } from './server-config.ts';

export interface McpPoolPorts extends ConnectPorts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The state of a server of this folder, or what it offers, has changed. */
  readonly onChange: (folder: string) => void;
  /** How long a server that nobody uses is kept, in milliseconds. */
  readonly idleMs?: number;
}

const IDLE_MS = 60_000;

/** One user of a server. */
export interface McpUse {
  readonly server: McpServer;
  /** May be called more than once; no request may follow. */
  release(): void;
}

export class McpPool {
  readonly #ports: McpPoolPorts;
  readonly #servers = new Map<string, McpServer>();
  #hasEnded = false;

  constructor(ports: McpPoolPorts) {
    this.#ports = ports;
  }

  /** Counts a user. Starts nothing before the first request. Throws `interrupted` after the end. */
  use(server: McpServerConfig, folder: string): McpUse {
    const pooled = this.#pooled(server, folder);
    return { server: pooled, release: pooled.hold() };
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
  restart(server: McpServerConfig, folder: string): Promise<void> {
    return this.#pooled(server, folder).restart();
  }

  /** Resolves when nothing of it is left. */
  async stop(server: McpServerConfig, folder: string): Promise<void> {
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
    const lent = [...this.#servers].filter(([, one]) => one.config.lending === lending);
    for (const [key] of lent) this.#servers.delete(key);
    await Promise.all(
      lent.map(([, one]) => one.stop('stopped', new Stopped('user', takenAway(one.config.name).message))),
    );
  }

  /** Those of a name that failed are tried again at the next use, without a wait. */
  retryNamed(name: string): void {
    for (const one of this.#named(name)) one.retry();
  }

  /** Ends all of them; resolves when nothing of them is left. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all([...this.#servers.values()].map((one) => one.end()));
  }

  #named(name: string): McpServer[] {
    return [...this.#servers.values()].filter((one) => one.config.name === name);
  }

  #pooled(server: McpServerConfig, folder: string): McpServer {
    if (this.#hasEnded) throw new Stopped('shutdown');
    const key = getPoolKey(server, folder);
    const known = this.#servers.get(key);
    if (known) return known;
    const pooled = new McpServer(server, folder, {
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
  #namesakes(pooled: McpServer): [string, McpServer][] {
    const { folder, config } = pooled;
    return [...this.#servers].filter(
      ([, one]) => one !== pooled && one.folder === folder && one.config.name === config.name,
    );
  }
}

function getPoolKey(server: McpServerConfig, folder: string): string {
  return canonicalHash({ folder, server });
}
