/** A server at an address: the SDK's streamable HTTP, with bounds to what the server may send. */
import {
  type FetchLike,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { setTimeout as wait } from 'node:timers/promises';
import { MessageMeter } from './message-limits.ts';
import { type Access, signedFetch, Veil } from './signed-fetch.ts';
import type { ServerTransport } from './stdio-transport.ts';

/** How long a server may take to end its session, in milliseconds. */
const TERMINATE_MS = 1000;
const [NEWLINE, RETURN] = [0x0a, 0x0d];
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
    const limited: FetchLike = async (to, init) => bounded(await fetch(to, init), (fault) => this.#fail(fault));
    this.#inner = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      // A redirect is followed within the origin only; headers and tokens go nowhere else.
      redirectPolicy: 'same-origin',
      fetch: access ? signedFetch(limited, url, access, this.#veil) : limited,
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

/** The response, whose body breaks off with a word to `onFault` where a message of it is too much. */
function bounded(response: Response, onFault: (fault: string) => void): Response {
  if (!response.body) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  const count = isStream ? eventCounter() : bodyCounter();
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const fault = count(chunk);
        if (fault === null) return controller.enqueue(chunk);
        onFault(fault);
        controller.error(new Error(fault));
      },
    }),
  );
  const { status, statusText, headers } = response;
  const copy = new Response(body, { status, statusText, headers });
  // Which a response of our own making would not have.
  Object.defineProperty(copy, 'url', { value: response.url });
  return copy;
}

type Counter = (chunk: Uint8Array) => string | null;

function bodyCounter(): Counter {
  const meter = new MessageMeter();
  return (chunk) => meter.add(chunk);
}

/** An event ends with a blank line. */
function eventCounter(): Counter {
  const meter = new MessageMeter();
  let isLineEmpty = true;
  return (chunk) => {
    let from = 0;
    for (let at = 0; at < chunk.length;) {
      // The engine finds it many times faster than a loop.
      const found = chunk.indexOf(NEWLINE, at);
      const end = found === -1 ? chunk.length : found;
      for (; isLineEmpty && at < end; at += 1) isLineEmpty = chunk[at] === RETURN;
      if (found !== -1 && isLineEmpty) {
        const fault = meter.add(chunk.subarray(from, end));
        if (fault !== null) return fault;
        meter.reset();
        from = end;
      }
      if (found !== -1) isLineEmpty = true;
      at = end + 1;
    }
    return meter.add(chunk.subarray(from));
  };
}
