/** A local HTTP server that proves that this process lives, and passes on connection requests of other processes. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createServer, get } from '#core/base/http.ts';

/** The address of a process, as other processes read it from its file. */
export interface Instance {
  url: string;
  token: string;
  pid: number;
  startedAt: string;
}

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface PingServer {
  readonly instance: Instance;
  /** Sets the handler of authenticated upgrades, including waiting ones; with null, upgrades wait. */
  readonly onUpgrade: (take: Upgrade | null) => void;
  /** Closes all connections, waiting ones too. */
  close(): Promise<void>;
}

/**
 * Listens on a free port of 127.0.0.1; does not keep the process alive by itself. Answers `GET /ping` to those who know
 * the token; no page of a browser can reach it, because a request with an origin, or for another host, is refused.
 */
export async function answerPings(token: string): Promise<PingServer> {
  const expected = digest(`Bearer ${token}`);
  let host = '';
  const statusOf = ({ method, url, headers }: IncomingMessage, path: string): number => {
    if (headers.host !== host || headers.origin !== undefined) return 403;
    if (!timingSafeEqual(digest(headers.authorization ?? ''), expected)) return 401;
    return method === 'GET' && url === path ? 200 : 404;
  };
  const server = createServer((request, response) => {
    const status = statusOf(request, '/ping');
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
    response.end(status === 200 ? proof(token) : '');
  });
  const upgrades = queueOf();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const status = statusOf(request, '/rpc');
    if (status === 200) return upgrades.add(request, socket, head);
    socket.on('error', () => socket.destroy());
    socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The ping server has no port.');
  host = `127.0.0.1:${address.port}`;
  return {
    instance: { url: `http://${host}`, token, pid: process.pid, startedAt: new Date().toISOString() },
    onUpgrade: upgrades.take,
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      upgrades.close();
      await closed;
    },
  };
}

/** Queues upgrades while no handler is set: the owner may be opening its store, or closing. */
function queueOf() {
  const waiting = new Map<Duplex, () => void>();
  let taker: Upgrade | null = null;
  let closed = false;
  return {
    add: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      if (closed) return void socket.destroy();
      if (taker !== null) return taker(request, socket, head);
      // Handles socket errors until the handler takes over.
      const drop = () => void (waiting.delete(socket), socket.destroy());
      socket.on('error', drop).on('close', drop);
      waiting.set(socket, () => {
        socket.off('error', drop).off('close', drop);
        taker?.(request, socket, head);
      });
    },
    take: (next: Upgrade | null): void => {
      taker = next;
      if (next === null) return;
      const held = [...waiting.values()];
      waiting.clear();
      for (const hand of held) hand();
    },
    close: (): void => {
      closed = true;
      for (const socket of [...waiting.keys()]) socket.destroy();
    },
  };
}

/** Whether the instance proves that it knows its token: another program may use its port by now. `late`: timeout. */
export async function answers(
  { url, token }: Instance,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<'yes' | 'no' | 'late'> {
  const { promise, resolve } = Promise.withResolvers<'yes' | 'no' | 'late'>();
  const request = get(`${url}/ping`, { agent: false, headers: { authorization: `Bearer ${token}` }, signal });
  const timer = setTimeout(() => {
    resolve('late');
    request.destroy();
  }, timeoutMs);
  request.on('error', () => resolve('no'));
  request.on('close', () => resolve('no'));
  request.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > 1000) request.destroy();
    });
    response.on('end', () => resolve(response.statusCode === 200 && text === proof(token) ? 'yes' : 'no'));
    response.on('error', () => resolve('no'));
  });
  const answered = await promise.finally(() => clearTimeout(timer));
  // An abort is not a missing answer.
  signal.throwIfAborted();
  return answered;
}

function proof(token: string): string {
  return digest(`triad ${token}`).toString('hex');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
