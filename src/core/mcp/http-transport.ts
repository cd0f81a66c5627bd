/** A server at an address: the SDK's streamable HTTP, with bounds to what the server may send. */
import {
  type FetchLike,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { setTimeout as wait } from 'node:timers/promises';
import { boundBody } from '../base/bounded-body.ts';
import { MessageMeter } from './message-limits.ts';
import { type Access, signedFetch, Veil } from './signed-fetch.ts';
import type { ServerTransport } from './stdio-transport.ts';

/** How long a server may take to end its session, in milliseconds. */
const TERMINATE_MS = 1000;
/** JSON-RPC's code for what failed inside. */
const INTERNAL = -32_603;

export interface HttpServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: nobody can sign in to it. */
  readonly access: Access | null;
  /** Follows no redirect by itself, keeps no cookies. */
  readonly fetch: FetchLike;
}

export class HttpTransport implements ServerTransport {
  readonly hasPerRequestStream = true;
  readonly pid = null;
  readonly isSandboxed = false;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #veil = new Veil();
  /** Requests that were not answered yet. */
  readonly #asked = new Set<string | number>();
  #ended: string | null = null;
  #closing: Promise<void> | null = null;

  constructor({ url, headers, access, fetch }: HttpServer) {
    const boundedFetch: FetchLike = async (to, init) =>
      boundBody(await fetch(to, init), new MessageMeter(), (fault) => {
        this.#fail(fault);
        return new Error(fault);
      });
    this.#inner = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      // A redirect is followed within the origin only; headers and tokens go nowhere else.
      redirectPolicy: 'same-origin',
      fetch: access ? signedFetch(boundedFetch, url, access, this.#veil) : boundedFetch,
    });
    // Whoever sent gets the same error after this, without tokens too.
    this.#inner.onerror = (error) => this.onerror?.(this.#veil.error(error));
    this.#inner.onmessage = (message) => {
      if ('id' in message && !('method' in message) && message.id !== undefined) this.#asked.delete(message.id);
      this.onmessage?.(this.#veil.message(message));
    };
  }

  get ended(): string | null {
    return this.#ended;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    if (id !== undefined) this.#asked.add(id);
    const { resumptionToken, onresumptiontoken, requestSignal, headers } = options;
    try {
      await this.#inner.send(message, {
        ...(resumptionToken === undefined ? {} : { resumptionToken }),
        ...(onresumptiontoken === undefined ? {} : { onresumptiontoken }),
        ...(requestSignal === undefined ? {} : { requestSignal }),
        ...(headers === undefined ? {} : { headers }),
        onRequestStreamEnd: () => this.#streamEnded(id),
      });
    } catch (error) {
      if (id !== undefined) this.#asked.delete(id);
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const timer = new AbortController();
    const ended = this.#inner.terminateSession().catch(() => undefined);
    await Promise.race([ended, wait(TERMINATE_MS, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
    await this.#leave();
  }

  async #leave(): Promise<void> {
    await this.#inner.close();
    this.onclose?.();
  }

  #fail(fault: string): void {
    this.#ended ??= `${fault}, and was left`;
    this.#closing ??= this.#leave();
  }

  /** Its answer cannot come any more, though the SDK would wait for it. */
  #streamEnded(id: string | number | undefined): void {
    if (id === undefined || !this.#asked.delete(id)) return;
    const message = 'the connection broke before the answer; whether it took effect is not known';
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: INTERNAL, message } });
  }
}
