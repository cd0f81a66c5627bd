/** The MCP servers of a folder, listed again whenever something about them changes, and what a person does with them. */
import { SvelteMap } from 'svelte/reactivity';
import type { McpServerView, McpTest } from '#contract/mcp/mcp-methods.ts';
import type { Input } from '#contract/rpc.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';

type Verb = 'test' | 'accept' | 'stop' | 'restart' | 'enable' | 'remove' | 'login' | 'logout';

export class McpFolder {
  /** Null until they were listed. */
  servers = $state.raw<McpServerView[] | null>(null);
  failure = $state.raw<RequestError | null>(null);
  /** By name: what is being done with a server. */
  readonly busy = new SvelteMap<string, Verb>();
  /** By name: why the last thing could not be done. */
  readonly failures = new SvelteMap<string, RequestError>();
  readonly tests = new SvelteMap<string, McpTest>();
  /** By name: where the person signs in. */
  readonly signIns = new SvelteMap<string, string>();
  readonly folder: string;
  readonly #connection: Connection;
  readonly #endOnOpen: () => void;
  #unsubscribe: (() => void) | null = null;
  #closed = false;
  #listing: Promise<void> | null = null;
  /** Something has changed since the list that is under way was asked for. */
  #stale = false;

  constructor(connection: Connection, folder: string) {
    this.#connection = connection;
    this.folder = folder;
    this.#endOnOpen = connection.onOpen(() => void this.#open());
    if (connection.status === 'open') void this.#open();
  }

  /** Resolves when the list is newer than the call. Many changes at once are one more list. */
  load(): Promise<void> {
    if (this.#listing) {
      this.#stale = true;
      return this.#listing;
    }
    this.#listing = this.#list().finally(() => (this.#listing = null));
    return this.#listing;
  }

  /** Also for what it has found of a server that does not work. */
  test(name: string): Promise<boolean> {
    return this.#act(name, 'test', async (named) => {
      const found = await this.#connection.request('mcp.test', named);
      this.tests.set(name, found);
    });
  }

  /** The person agrees to these tools as they are shown. */
  accept(name: string, tools: Input<'mcp.accept'>['tools']): Promise<boolean> {
    return this.#act(name, 'accept', (named) => this.#connection.request('mcp.accept', { ...named, tools }));
  }

  stop(name: string): Promise<boolean> {
    return this.#act(name, 'stop', (named) => this.#connection.request('mcp.stop', named));
  }

  restart(name: string): Promise<boolean> {
    return this.#act(name, 'restart', (named) => this.#connection.request('mcp.restart', named));
  }

  enable(name: string, enabled: boolean): Promise<boolean> {
    return this.#act(name, 'enable', () => this.#connection.request('mcp.enable', { name, enabled }));
  }

  remove(name: string): Promise<boolean> {
    return this.#act(name, 'remove', () => this.#connection.request('mcp.remove', { name }));
  }

  signIn(name: string): Promise<boolean> {
    return this.#act(name, 'login', async (named) => {
      const { url } = await this.#connection.request('mcp.login', named);
      this.signIns.set(name, url);
    });
  }

  signOut(name: string): Promise<boolean> {
    return this.#act(name, 'logout', (named) => this.#connection.request('mcp.logout', named));
  }

  /** Writes a new server; rejects with a `RequestError`, such as `conflict`. */
  async add(input: Input<'mcp.add'>): Promise<void> {
    await this.#connection.request('mcp.add', input);
    this.#forget(input.name);
    await this.load();
  }

  /** The text of a prompt; rejects with a `RequestError`. */
  async prompt(name: string, prompt: string, args: Record<string, string>): Promise<string> {
    const { text } = await this.#connection.request('mcp.prompt', { folder: this.folder, name, prompt, args });
    return text;
  }

  close(): void {
    this.#closed = true;
    this.#endOnOpen();
    this.#unsubscribe?.();
  }

  /** One thing at a time for each server. Resolves with whether it was done; `failures` says why it was not. */
  async #act(
    name: string,
    verb: Verb,
    work: (named: { folder: string; name: string }) => Promise<unknown>,
  ): Promise<boolean> {
    if (this.busy.has(name)) return false;
    this.busy.set(name, verb);
    this.#forget(name);
    try {
      await work({ folder: this.folder, name });
      return true;
    } catch (error) {
      this.failures.set(name, asRequestError(error));
      return false;
    } finally {
      this.busy.delete(name);
      await this.load();
    }
  }

  /** What the last thing that was done has found. */
  #forget(name: string): void {
    for (const found of [this.failures, this.tests, this.signIns]) found.delete(name);
  }

  async #list(): Promise<void> {
    do {
      this.#stale = false;
      try {
        const servers = await this.#connection.request('mcp.list', { folder: this.folder });
        if (this.#closed) return;
        this.servers = servers;
        this.failure = null;
        // Who has signed in needs the address no more.
        for (const { name, signIn } of servers) if (signIn === 'in') this.signIns.delete(name);
      } catch (error) {
        this.failure = asRequestError(error);
      }
    } while (this.#stale && !this.#closed);
  }

  /** Subscribes before listing, so that no change in between is missed. */
  async #open(): Promise<void> {
    try {
      const end = await this.#connection.subscribe('mcp', { folder: this.folder }, () => void this.load());
      this.#unsubscribe = end;
      if (this.#closed) end();
    } catch (error) {
      this.failure = asRequestError(error);
    }
    await this.load();
  }
}
