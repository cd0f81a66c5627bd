/** A proxy before the scripted model, whose network fails for a while in a chosen phase of the work. */
import { createServer, type IncomingMessage, request as forward, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type OutageKind = 'refused' | 'reset' | '529' | '429' | '503 loading' | 'silent';
export const OUTAGE_KINDS = ['refused', 'reset', '529', '429', '503 loading', 'silent'] as const;

export interface Outage {
  kind: OutageKind;
  /** Number of the request that meets the outage, from 1. */
  atRequest: number;
  /** True lets the first half of the answer pass before the outage. */
  isMidAnswer: boolean;
  durationMs: number;
  /** Milliseconds, by the clock on which the outage lasts. */
  now: () => number;
}

export interface OutageProxy {
  url: string;
  isDown: () => boolean;
  /** Resolves when the outage has begun. */
  down: Promise<void>;
}

/** Number of pieces of an answer that pass before an outage in the middle of it. */
const PIECES_BEFORE = 3;

export async function startOutageProxy(target: string, outage: Outage): Promise<OutageProxy> {
  const { kind, durationMs, now } = outage;
  const sockets = new Set<Socket>();
  const down = Promise.withResolvers<void>();
  let requests = 0;
  let endsAt: number | null = null;
  const isDown = (): boolean => endsAt !== null && now() < endsAt;
  const begin = (): void => {
    if (endsAt !== null) return;
    endsAt = now() + durationMs;
    down.resolve();
    // Answers on their way break with the network. An overloaded provider finishes them.
    if (kind === 'refused' || kind === 'reset') for (const socket of sockets) socket.resetAndDestroy();
    if (kind === 'refused') closeUntil();
  };
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return pass(target, request, response, () => true);
    requests += 1;
    const isMet = endsAt === null && requests >= outage.atRequest;
    if (isMet && !outage.isMidAnswer) begin();
    if (isDown()) return fail(kind, response);
    let pieces = 0;
    pass(target, request, response, () => {
      pieces += 1;
      if (isMet && outage.isMidAnswer && pieces > PIECES_BEFORE) begin();
      return !(isDown() && kind === 'silent');
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    if (isDown() && (kind === 'reset' || kind === 'refused')) socket.resetAndDestroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  /** Stops listening, so that the system refuses connections, and listens again afterwards. */
  function closeUntil(): void {
    server.close();
    const timer = setInterval(() => {
      if (isDown()) return;
      clearInterval(timer);
      server.listen(port, '127.0.0.1');
    }, 1);
    onEnd.push(() => clearInterval(timer));
  }
  const onEnd: (() => void)[] = [];
  onTestFinished(async () => {
    for (const end of onEnd) end();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${port}`, isDown, down: down.promise };
}

function fail(kind: OutageKind, response: ServerResponse): void {
  if (kind === 'silent') return;
  if (kind === 'reset' || kind === 'refused') {
    response.socket?.resetAndDestroy();
    return;
  }
  const [status, type, message] = {
    '529': [529, 'overloaded_error', 'Overloaded'] as const,
    '429': [429, 'rate_limit_error', 'Slow down'] as const,
    '503 loading': [503, 'unavailable_error', 'Loading model'] as const,
  }[kind];
  response.writeHead(status, { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '2' }) });
  response.end(JSON.stringify({ type: 'error', error: { type, message } }));
}

/** Forwards a request. `mayPass` decides on each piece of the answer. */
function pass(target: string, from: IncomingMessage, to: ServerResponse, mayPass: () => boolean): void {
  const upstream = forward(
    new URL(from.url ?? '/', target),
    { method: from.method, headers: from.headers },
    (answer) => {
      to.writeHead(answer.statusCode ?? 500, answer.headers);
      let isSilent = false;
      answer.on('data', (chunk: Buffer) => {
        // Event by event, however the chunks were cut.
        for (const piece of chunk.toString('utf8').split(/(?<=\n\n)/)) {
          isSilent ||= !mayPass();
          if (!isSilent && !to.destroyed) to.write(piece);
        }
      });
      answer.on('end', () => void (!isSilent && to.end()));
      answer.on('error', () => undefined);
    },
  );
  upstream.on('error', () => to.socket?.destroy());
  to.on('close', () => upstream.destroy());
  from.pipe(upstream);
}
