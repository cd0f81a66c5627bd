/** A server at an address: the SDK's streamable HTTP, with bounds to what the server may send. */
import {
  type FetchLike,
  type JSONRPCMessage,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { setTimeout as wait } from 'node:timers/promises';
import { MessageMeter } from './message-limits.ts';
import type { ServerTransport } from './stdio-transport.ts';

/** How long a server may take to end its session, in milliseconds. */
const TERMINATE_MS = 1000;
const [NEWLINE, RETURN] = [0x0a, 0x0d];
/** JSON-RPC's code for what failed inside. */
const INTERNAL = -32_603;

export interface HttpServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: a server that wants a sign-in is refused. */
  readonly auth: OAuthClientProvider | null;
  /** Follows no redirect by itself, keeps no cookies. */
  readonly fetch: FetchLike;
}

export class HttpTransport implements ServerTransport {
  readonly hasPerRequestStream = true;
  readonly pid = null;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #inner: StreamableHTTPClientTransport;
  /** Requests that were not answered yet. */
  readonly #asked = new Set<string | number>();
  #ended: string | null = null;
  #closing: Promise<void> | null = null;

  constructor({ url, headers, auth, fetch }: HttpServer) {
    this.#inner = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      // A redirect is followed within the origin only; headers and tokens go nowhere else.
      redirectPolicy: 'same-origin',
      fetch: async (address, init) => bounded(await fetch(address, init), (fault) => this.#fail(fault)),
      ...(auth ? { authProvider: auth } : {}),
    });
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) => {
      if ('id' in message && !('method' in message) && message.id !== undefined) this.#asked.delete(message.id);
      this.onmessage?.(message);
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
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === RETURN) continue;
      if (byte !== NEWLINE) isLineEmpty = false;
      else if (!isLineEmpty) isLineEmpty = true;
      else {
        const fault = meter.add(chunk.subarray(from, at));
        if (fault !== null) return fault;
        meter.reset();
        from = at;
      }
    }
    return meter.add(chunk.subarray(from));
  };
}
