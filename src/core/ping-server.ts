/** A tiny HTTP server that shows that this process lives: it answers an authenticated `GET /ping` and nothing else. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get } from 'node:http';

/** Where a process answers pings, as others read it from a file. */
export interface Instance {
  url: string;
  token: string;
  pid: number;
  startedAt: string;
}

export interface PingServer {
  readonly instance: Instance;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1; does not keep the process alive by itself. */
export async function answerPings(token: string): Promise<PingServer> {
  const expected = digest(`Bearer ${token}`);
  const server = createServer((request, response) => {
    const known = timingSafeEqual(digest(request.headers.authorization ?? ''), expected);
    const found = request.method === 'GET' && request.url === '/ping';
    response.writeHead(known ? (found ? 200 : 404) : 401, {
      'content-type': 'text/plain',
      connection: 'close',
    });
    response.end(known && found ? proof(token) : '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The ping server has no port.');
  return {
    instance: {
      url: `http://127.0.0.1:${address.port}`,
      token,
      pid: process.pid,
      startedAt: new Date().toISOString(),
    },
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Whether the instance proves in time that it knows its token: another program may have its port by now. */
export async function answers(
  { url, token }: Instance,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const request = get(`${url}/ping`, { agent: false, headers: { authorization: `Bearer ${token}` }, signal });
  const timer = setTimeout(() => request.destroy(new Error('no answer in time')), timeoutMs);
  request.on('error', () => resolve(false));
  request.on('close', () => resolve(false));
  request.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > 1000) request.destroy();
    });
    response.on('end', () => resolve(response.statusCode === 200 && text === proof(token)));
    response.on('error', () => resolve(false));
  });
  const answered = await promise.finally(() => clearTimeout(timer));
  // Given up is not unanswered.
  signal.throwIfAborted();
  return answered;
}

function proof(token: string): string {
  return digest(`triad ${token}`).toString('hex');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
