/** The sign-in to one server at one address: at most one that waits for the person, and one renewal, whoever wants it. */
import type { McpServerView } from '#contract/mcp/mcp-methods.ts';
import { errorInfo, TriadError } from '../../base/errors.ts';
import { Stopped } from '../../base/stop.ts';
import { serverWords } from '../server-words.ts';
import type { Access } from '../signed-fetch.ts';
import { type Callback, openCallback } from './callback.ts';
import type { Grant, Grants } from './grants.ts';

export interface ServerSignInPorts {
  readonly name: string;
  readonly url: string;
  readonly grants: Grants;
  /** Somebody signed in, or nobody is signed in any more. */
  readonly onChange: (isIn: boolean) => void;
  /** The server refused what was asked of it until the person signs in. */
  readonly onWanted: () => void;
  /** Ends what runs here. */
  readonly end: AbortSignal;
  /** For the person, in milliseconds. */
  readonly patienceMs: number;
}

/** For a server to say where the person signs in, in milliseconds. */
const START_MS = 30_000;
/** For a server that is told that a sign-in is over, in milliseconds. */
const REVOKE_MS = 3000;
/** A token that runs out within so many milliseconds is renewed before it is used. */
const EARLY_MS = 10_000;

export class ServerSignIn implements Access {
  readonly #ports: ServerSignInPorts;
  /** The one that waits for the person. */
  #begun = new AbortController();
  #renewal: Promise<string | null> | null = null;
  /** Rights that the server missed, for the next sign-in. */
  #missing: string | undefined;

  constructor(ports: ServerSignInPorts) {
    this.#ports = ports;
  }

  async state(): Promise<McpServerView['signIn']> {
    const grant = await this.#grant();
    if (grant) return 'in';
    return grant === null ? 'out' : 'none';
  }

  async token(): Promise<string | null> {
    const grant = await this.#grant();
    if (!grant) return null;
    const { accessToken, refreshToken, expiresAt } = grant;
    const hasRunOut = expiresAt !== null && expiresAt - EARLY_MS <= Date.now();
    return hasRunOut && refreshToken !== null ? this.renewed(accessToken) : accessToken;
  }

  renewed(refused: string | null): Promise<string | null> {
    this.#renewal ??= this.#renew(refused).finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  async refused(token: string): Promise<void> {
    await this.#lose(token);
  }

  missing(scope: string): void {
    this.#missing = scope;
  }

  /** As `SignIns.begin`. One that was begun before ends. */
  async begin(headers: Readonly<Record<string, string>>): Promise<{ url: string }> {
    const { url } = this.#ports;
    this.cancel('Another sign-in to the same server was begun');
    const begun = (this.#begun = new AbortController());
    const signal = AbortSignal.any([begun.signal, this.#ports.end]);
    const limit = limitOf(begun, START_MS);
    try {
      const { start } = await import('./flow.ts');
      const callback = await openCallback(signal);
      const asked = { url, headers, missing: this.#missing };
      const started = await start(asked, callback, { server: url, signal });
      limit(this.#ports.patienceMs);
      void this.#finish(callback, started.finish).finally(() => begun.abort());
      return { url: started.url };
    } catch (error) {
      begun.abort();
      throw this.#impossible(error);
    }
  }

  cancel(why: string): void {
    this.#begun.abort(new Stopped('user', why));
  }

  /** Forgets what it gave, and says so to who gave it. */
  async forget(): Promise<void> {
    const { name, url, grants } = this.#ports;
    this.cancel('The person signed out');
    const grant = await this.#grant();
    if (!grant) return;
    await grants.change(name, url, () => null);
    this.#ports.onChange(false);
    const { revoke } = await import('./flow.ts');
    const guard = { server: url, signal: AbortSignal.timeout(REVOKE_MS) };
    await revoke(grant, guard).catch(() => undefined);
  }

  #grant(): Promise<Grant | null | undefined> {
    return this.#ports.grants.get(this.#ports.name, this.#ports.url);
  }

  /** Says in the browser what came of it. */
  async #finish(callback: Callback, finish: (params: URLSearchParams) => Promise<Grant>): Promise<void> {
    const { name, url, grants, onChange } = this.#ports;
    const answer = await callback.answer.catch(() => null);
    if (!answer) return;
    try {
      const grant = await finish(answer.params);
      await grants.change(name, url, () => grant);
      this.#missing = undefined;
      onChange(true);
      answer.say(`You are signed in to the MCP server "${name}". You can close this page.`);
    } catch (error) {
      answer.say(`${this.#impossible(error).message}. Nothing was changed; you can close this page.`);
    }
  }

  async #renew(refused: string | null): Promise<string | null> {
    const { name, url, grants, end } = this.#ports;
    const grant = await this.#grant();
    // Somebody else was first.
    if (grant && grant.accessToken !== refused) return grant.accessToken;
    if (!grant?.refreshToken) return this.#lose(refused);
    const { renew } = await import('./flow.ts');
    const guard = { server: url, signal: end };
    const renewed = await renew(grant, grant.refreshToken, guard).catch((error: unknown) => {
      const { message } = errorInfo(error);
      throw new TriadError('unreachable', `${serverWords(name)} needs its sign-in renewed, which failed: ${message}`);
    });
    if (renewed === null) return this.#lose(refused);
    // What was forgotten or given anew meanwhile stays so.
    await grants.change(name, url, (now) => (now?.accessToken === refused ? renewed : undefined));
    return (await this.#grant())?.accessToken ?? null;
  }

  /** The person must sign in again: nothing is kept but that the server wants it. */
  async #lose(refused: string | null): Promise<null> {
    const { name, url, grants, onChange, onWanted } = this.#ports;
    const hasChanged = await grants.change(name, url, (now) => (now && now.accessToken !== refused ? undefined : null));
    if (hasChanged) onChange(false);
    if (!(await this.#grant())) onWanted();
    return null;
  }

  #impossible(error: unknown): TriadError {
    const { code, message } = errorInfo(error);
    return new TriadError(code, `You are not signed in to the MCP server "${this.#ports.name}": ${message}`);
  }
}

/** Ends it in so many milliseconds; the function that is returned begins that time anew. */
function limitOf(begun: AbortController, ms: number): (ms: number) => void {
  let timer: NodeJS.Timeout;
  const limit = (next: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => begun.abort(new Stopped('time')), next).unref();
  };
  begun.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  limit(ms);
  return limit;
}
