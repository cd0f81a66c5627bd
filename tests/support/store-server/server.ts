/**
 * A SurrealDB server for tests: what the driver sends over its WebSocket goes to the embedded engine, as it is. With
 * faults at chosen frames: cut, late, answered never, or lost on their way.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Answer, decode, encode, Engine, type Request } from './engine.ts';

/**
 * What becomes of one frame. `drop-request`: never executed; `drop-answer`: executed, not answered; `cut…`: the line goes.
 * One with an error is not executed; one with a time or a promise is executed then, also when its line has gone.
 */
export type Fault =
  | 'cut-before'
  | 'cut-after'
  | 'drop-request'
  | 'drop-answer'
  | { error: string }
  | { delayMs?: number; until?: Promise<void> };

export interface Frame {
  method: string;
  /** The text of a query. */
  sql: string;
}

const SIGN_IN = new Set(['signin', 'authenticate']);
const OPEN_TO_ALL = new Set(['version', 'ping', 'use', ...SIGN_IN]);

/** `closed`: only who has signed in may ask anything. */
export async function startStoreServer({ url = 'mem://', closed = false } = {}): Promise<StoreServer> {
  const server = new StoreServer(await Engine.open(url), closed);
  await server.listen();
  return server;
}

export class StoreServer {
  /** Asked for each frame that comes. */
  fault: (frame: Frame) => Fault | null = () => null;
  /** Frames that were executed. */
  executed = 0;
  readonly #engine: Engine;
  readonly #closed: boolean;
  readonly #http: Server;
  readonly #sockets = new Set<WebSocket>();
  #port = 0;

  constructor(engine: Engine, closed: boolean) {
    this.#engine = engine;
    this.#closed = closed;
    this.#http = createServer((_, response) => response.writeHead(404).end());
    const wss = new WebSocketServer({ noServer: true, handleProtocols: () => 'cbor' });
    this.#http.on('upgrade', (request, socket, head) =>
      wss.handleUpgrade(request, socket, head, (ws) => void this.#serve(ws)),
    );
  }

  /** With the namespace and the database `triad`. */
  get url(): string {
    return `ws://127.0.0.1:${this.#port}/triad/triad`;
  }

  /** Executes in the engine itself, beside all connections, as one who may do everything. */
  query(sql: string, values: object = {}): Promise<unknown[]> {
    return this.#engine.query(sql, values);
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** Ends them and takes no new one, until `listen`. */
  async stop(): Promise<void> {
    const stopped = new Promise((resolve) => this.#http.close(resolve));
    this.cut();
    await stopped;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#http.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (this.#http.listening) await this.stop();
    while (this.#sockets.size > 0) await sleep(5);
    await this.#engine.close();
  }

  async #serve(socket: WebSocket): Promise<void> {
    this.#sockets.add(socket);
    // As on a real server each connection has a session of its own.
    const session = this.#engine.attach();
    let isIn = !this.#closed;
    const answer = async (request: Request): Promise<Answer> => {
      if (!isIn && !OPEN_TO_ALL.has(request.method))
        return { error: { code: -32000, message: 'Sign in first', kind: 'NotAllowed' } };
      this.executed += 1;
      const result = await this.#engine.execute({ ...request, session: await session });
      if (SIGN_IN.has(request.method)) isIn ||= 'result' in result;
      return result;
    };
    // A frame that is late is executed all the same.
    const frames = new Set<Promise<void>>();
    socket.on('message', (data: Buffer) => {
      const frame = this.#handle(socket, decode(data) as Request, answer);
      frames.add(frame);
      void frame.finally(() => frames.delete(frame));
    });
    socket.on('close', () => {
      this.#sockets.delete(socket);
      void Promise.allSettled(frames).then(async () => this.#engine.detach(await session));
    });
    await session;
  }

  async #handle(socket: WebSocket, request: Request, answer: (request: Request) => Promise<Answer>): Promise<void> {
    const { method, params } = request;
    const fault = this.fault({ method, sql: method === 'query' ? (params?.[0] as string) : '' });
    if (fault === 'cut-before') return socket.terminate();
    if (fault === 'drop-request') return;
    if (typeof fault === 'object' && fault !== null && 'error' in fault)
      return socket.send(encode({ id: request.id, error: { code: -32000, message: fault.error, kind: 'Internal' } }));
    if (typeof fault === 'object' && fault !== null) await (fault.until ?? sleep(fault.delayMs));
    const answered = await answer(request).catch((error: unknown) => ({
      error: { code: -32000, message: String(error), kind: 'Internal' },
    }));
    if (fault === 'cut-after') return socket.terminate();
    if (fault !== 'drop-answer' && socket.readyState === socket.OPEN)
      socket.send(encode({ id: request.id, ...answered }));
  }
}
