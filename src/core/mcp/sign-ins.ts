/** Signing in to servers at an address, by OAuth; what it gives is in the key store. */
import type { McpServerView } from '#contract/mcp/mcp-methods.ts';
import { TriadError } from '../base/errors.ts';
import { Stopped } from '../base/stop.ts';
import type { Secrets } from '../settings/secrets.ts';
import type { McpServerConfig } from './server-config.ts';
import { serverWords } from './server-words.ts';
import { Grants } from './sign-in/grants.ts';
import { ServerSignIn } from './sign-in/server-sign-in.ts';
import type { Access } from './signed-fetch.ts';

export interface SignInPorts {
  readonly secrets: Pick<Secrets, 'get' | 'set'>;
  /** Somebody signed in to a server, or nobody is signed in any more. */
  readonly onChange: (name: string, isIn: boolean) => void;
  /** How long a sign-in waits for the person, in milliseconds. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 300_000;

export class SignIns {
  readonly #ports: SignInPorts;
  readonly #grants: Grants;
  /** By name, then by address. */
  readonly #servers = new Map<string, Map<string, ServerSignIn>>();
  /** Since when, in epoch milliseconds, by name: those that refused something until the person signs in. */
  readonly #wanted = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  readonly #end = new AbortController();

  constructor(ports: SignInPorts) {
    this.#ports = ports;
    this.#grants = new Grants(ports.secrets);
  }

  /** Starts and asks nothing. `none`: it never wanted a sign-in, `out`: nobody is signed in. */
  async stateOf({ name, transport }: McpServerConfig): Promise<McpServerView['signIn']> {
    return transport.kind === 'http' ? this.#at(name, transport.url).state() : 'none';
  }

  /** The servers that wait for a sign-in, since this program started; nobody waits for one that the person signed out of. */
  wanted(): { server: string; at: string }[] {
    return [...this.#wanted].map(([server, at]) => ({ server, at: new Date(at).toISOString() }));
  }

  /** Calls back when these are others. */
  onWanted(listener: () => void): void {
    this.#listeners.add(listener);
  }

  access(name: string, url: string): Access {
    return this.#at(name, url);
  }

  /**
   * Opens an address of this machine for the answer, and resolves with the address that the person opens. Throws
   * `not_allowed` where the server offers no sign-in or none that is safe, `unreachable`, `limit_reached`, `provider`.
   */
  async begin({ name, transport }: McpServerConfig): Promise<{ url: string }> {
    if (transport.kind === 'http') return this.#at(name, transport.url).begin(transport.headers);
    throw new TriadError('not_allowed', `${serverWords(name)} is started by a command: nobody signs in to it`);
  }

  /** Forgets what signing in gave, and says so to who gave it. */
  async forget({ name, transport }: McpServerConfig): Promise<void> {
    if (transport.kind === 'http') await this.#at(name, transport.url).forget();
    this.#settle(name);
  }

  /** The same of all addresses that a server had, which is not configured any more. */
  async forgetAll(name: string): Promise<void> {
    const urls = await this.#grants.urls(name);
    await Promise.all(urls.map((url) => this.#at(name, url).forget()));
    await this.#grants.remove(name);
    this.#settle(name);
  }

  /** What was begun ends. */
  end(): void {
    this.#end.abort(new Stopped('shutdown'));
  }

  #want(name: string): void {
    if (this.#wanted.has(name)) return;
    this.#wanted.set(name, Date.now());
    for (const listener of this.#listeners) listener();
  }

  /** It waits no more. */
  #settle(name: string): void {
    if (this.#wanted.delete(name)) for (const listener of this.#listeners) listener();
  }

  #at(name: string, url: string): ServerSignIn {
    const servers = this.#servers.get(name) ?? new Map<string, ServerSignIn>();
    this.#servers.set(name, servers);
    const known = servers.get(url);
    if (known) return known;
    const made = new ServerSignIn({
      name,
      url,
      grants: this.#grants,
      onChange: (isIn) => {
        if (isIn) this.#settle(name);
        this.#ports.onChange(name, isIn);
      },
      onWanted: () => this.#want(name),
      end: this.#end.signal,
      patienceMs: this.#ports.patienceMs ?? PATIENCE_MS,
    });
    servers.set(url, made);
    return made;
  }
}
