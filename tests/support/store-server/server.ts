/**
 * A SurrealDB server for tests: what the driver sends over its WebSocket goes to the embedded engine, as it is. With
 * faults at chosen frames: cut, late, answered never, or lost on their way.
 */
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CborCodec, Uuid } from 'surrealdb';
import { type WebSocket, WebSocketServer } from 'ws';

interface NativeEngine {
  execute(frame: Uint8Array): Promise<Uint8Array>;
  free(): void;
}

/** The package of the engine does not export it; the file lies beside its entry. */
function nativeEngine(): { connect(url: string, options: object): Promise<NativeEngine> } {
  const folder = dirname(fileURLToPath(import.meta.resolve('@surrealdb/node')));
  const glibc = (process.report.getReport() as { header: Record<string, unknown> }).header['glibcVersionRuntime'];
  const libc = process.platform === 'linux' ? (glibc ? '-gnu' : '-musl') : '';
  const name = `${process.platform}-${process.arch}${libc}`;
  const file = readdirSync(folder).find((one) => one.endsWith('.node') && one.includes(name));
  if (file === undefined) throw new Error(`There is no engine for ${name}`);
  return (createRequire(import.meta.url)(join(folder, file)) as { SurrealNodeEngine: ReturnType<typeof nativeEngine> })
    .SurrealNodeEngine;
}

/** What becomes of one frame. `drop-request`: never executed; `drop-answer`: executed, not answered; `cut…`: the line goes. */
export type Fault = 'cut-before' | 'cut-after' | 'drop-request' | 'drop-answer' | { delayMs: number };

export interface Frame {
  method: string;
  /** The text of a query. */
  sql: string;
}

export interface StoreServer {
  /** With the namespace and the database `triad`. */
  url: string;
  port: number;
  /** Frames executed. */
  readonly executed: number;
  /** Asked for each frame that is to be executed. */
  fault: (frame: Frame) => Fault | null;
  /** Executes in the engine itself, beside all connections, as the owner of everything. */
  query(sql: string, values?: object): Promise<unknown[]>;
  /** Ends all connections. */
  cut(): void;
  /** Ends them and takes no new one, until `listen`. */
  stop(): Promise<void>;
  listen(): Promise<void>;
  close(): Promise<void>;
}

const codec = new CborCodec({});
const encode = (value: unknown): Buffer => Buffer.from(codec.encode(value));

interface Request {
  id: string;
  method: string;
  session?: unknown;
  params?: unknown[];
}

const SIGN_IN = new Set(['signin', 'authenticate']);
const FREE = new Set(['version', 'ping', 'use', ...SIGN_IN]);

/** `closed`: only who has signed in may ask anything. */
export async function startStoreServer({ url = 'mem://', closed = false } = {}): Promise<StoreServer> {
  const engine = await nativeEngine().connect(url, {});
  const busy = new Set<Promise<unknown>>();
  const sockets = new Set<WebSocket>();
  let freed = false;
  let executed = 0;
  // The engine ends the process when it gets anything after it was freed.
  const execute = async (request: Request): Promise<{ result: unknown } | { error: unknown }> => {
    if (freed) throw new Error('The server is closed');
    const answer = engine.execute(encode(request));
    busy.add(answer);
    try {
      const value: unknown = codec.decode(await answer);
      return isError(value) ? { error: value.error } : { result: value };
    } finally {
      busy.delete(answer);
    }
  };
  const http = createServer((_, response) => response.writeHead(404).end());
  const wss = new WebSocketServer({ noServer: true, handleProtocols: () => 'cbor' });
  http.on('upgrade', (request, socket, head) => wss.handleUpgrade(request, socket, head, (ws) => void serve(ws)));
  const own = new Uuid(crypto.randomUUID());
  await execute({ id: '0', method: 'attach', session: own });
  await execute({ id: '0', method: 'use', session: own, params: ['triad', 'triad'] });

  const serve = async (socket: WebSocket): Promise<void> => {
    sockets.add(socket);
    // As on a real server each connection has a session of its own.
    const session = new Uuid(crypto.randomUUID());
    const ready = execute({ id: '0', method: 'attach', session });
    let isIn = !closed;
    const answer = async (request: Request) => {
      await ready;
      if (!isIn && !FREE.has(request.method))
        return { error: { code: -32000, message: 'Sign in first', kind: 'NotAllowed' } };
      executed += 1;
      const result = await execute({ ...request, session });
      if (SIGN_IN.has(request.method)) isIn ||= 'result' in result;
      return result;
    };
    socket.on('message', (data: Buffer) => void handle(socket, codec.decode(new Uint8Array(data)), answer));
    socket.on('close', () => {
      sockets.delete(socket);
      void ready.then(() => execute({ id: '0', method: 'detach', session })).catch(() => undefined);
    });
  };

  const handle = async (socket: WebSocket, request: Request, answer: (request: Request) => Promise<object>) => {
    const fault = server.fault({ method: request.method, sql: sqlOf(request) });
    if (fault === 'cut-before') return socket.terminate();
    if (fault === 'drop-request') return;
    if (typeof fault === 'object' && fault !== null) await sleep(fault.delayMs);
    const answered = await answer(request).catch((error: unknown) => ({
      error: { code: -32000, message: String(error), kind: 'Internal' },
    }));
    if (fault === 'cut-after') return socket.terminate();
    if (fault !== 'drop-answer' && socket.readyState === socket.OPEN)
      socket.send(encode({ id: request.id, ...answered }));
  };

  const listen = (port = 0) => new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  await listen();
  const { port } = http.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets) socket.terminate();
  };
  const stop = () =>
    new Promise<void>((resolve) => {
      http.close(() => resolve());
      cut();
    });
  const server: StoreServer = {
    url: `ws://127.0.0.1:${port}/triad/triad`,
    port,
    get executed() {
      return executed;
    },
    fault: () => null,
    query: async (sql, values = {}) => {
      const answer = await execute({ id: '0', method: 'query', session: own, params: [sql, values] });
      if ('error' in answer) throw new Error(JSON.stringify(answer.error));
      return (answer.result as { status: string; result: unknown }[]).map(({ status, result }) => {
        if (status !== 'OK') throw new Error(String(result));
        return result;
      });
    },
    cut,
    stop,
    listen: () => listen(port),
    close: async () => {
      if (freed) return;
      if (http.listening) await stop();
      while (sockets.size > 0 || busy.size > 0) await sleep(5);
      // The sessions of the last connections are detached by then.
      await sleep(5);
      while (busy.size > 0) await Promise.allSettled(busy);
      freed = true;
      engine.free();
    },
  };
  return server;
}

const isError = (value: unknown): value is { error: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'error' in value;

const sqlOf = ({ method, params }: Request): string => (method === 'query' ? String(params?.[0] ?? '') : '');
