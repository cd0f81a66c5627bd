/** Requests to a server at an address, with what signing in gave; and its words without that. */
import { extractWWWAuthenticateParams, type FetchLike, type JSONRPCMessage } from '@modelcontextprotocol/client';

/** Who a person is at one server. */
export interface Access {
  /** Null where nobody is signed in. One that has run out is renewed first: throws `unreachable` where that failed. */
  token(): Promise<string | null>;
  /** The server refused this one (null: a request without one). Null: the person must sign in. Throws like `token`. */
  renewed(refused: string | null): Promise<string | null>;
  /** The server refuses the newest one too: it is forgotten. */
  refused(token: string): Promise<void>;
  /** The server wants these rights too: the next sign-in asks for them. */
  missing(scope: string): void;
}

/** Tries once more with a renewed token. Nobody but the origin of `url` gets one. */
export function signedFetch(fetch: FetchLike, url: string, access: Access, veil: Veil): FetchLike {
  const { origin } = new URL(url);
  return async (to, init) => {
    if (new URL(to).origin !== origin) return fetch(to, init);
    const send = (token: string | null): Promise<Response> => {
      if (token === null) return fetch(to, init);
      veil.add(token);
      const headers = new Headers(init?.headers);
      headers.set('authorization', `Bearer ${token}`);
      return fetch(to, { ...init, headers });
    };
    const token = await access.token();
    const response = await send(token);
    if (response.status === 403) {
      const { error, scope } = extractWWWAuthenticateParams(response);
      if (error === 'insufficient_scope' && scope !== undefined) access.missing(scope);
    }
    if (response.status !== 401) return response;
    const next = await access.renewed(token);
    if (next === null) return response;
    await response.body?.cancel();
    const second = await send(next);
    if (second.status === 401) await access.refused(next);
    return second;
  };
}

/** So many of the newest tokens are known to it. */
const TOKENS = 4;
const MARK = '[a token of a sign-in]';

/** Takes tokens out of what a server says, which may say all that it was sent. */
export class Veil {
  readonly #tokens = new Set<string>();

  add(token: string): void {
    this.#tokens.delete(token);
    this.#tokens.add(token);
    const [oldest] = this.#tokens;
    if (this.#tokens.size > TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
  }

  text(text: string): string {
    let veiled = text;
    for (const token of this.#tokens) veiled = veiled.replaceAll(token, MARK);
    return veiled;
  }

  message(message: JSONRPCMessage): JSONRPCMessage {
    if (this.#tokens.size === 0) return message;
    const text = JSON.stringify(message);
    const isSaid = [...this.#tokens].some((token) => text.includes(JSON.stringify(token).slice(1, -1)));
    return isSaid ? (this.#value(message) as JSONRPCMessage) : message;
  }

  error<T>(error: T): T {
    if (error instanceof Error) error.message = this.text(error.message);
    return error;
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((one) => this.#value(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [this.text(key), this.#value(one)]));
  }
}
