/** The owner's endpoint for other processes: one WebSocket each, with the same frames as browser tabs. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket, WebSocketServer } from 'ws';
import type { Client } from '#contract/rpc.ts';
import { errorInfo, TriadError } from '#core/base/errors.ts';
import { SerialQueue } from '#core/base/serial-queue.ts';
import type { Ownership } from './ownership.ts';
import { type Guest, guestOf } from './guest.ts';
import { Hello, type OwnerFacts, refusalOf } from './handshake.ts';
import { attachSocket, CLOSE, jsonOf, MAX_FRAME_BYTES } from './web-socket.ts';

/** Subscriptions of one process, which may serve many tabs over its connection. */
const MAX_SUBSCRIPTIONS = 4096;
const HELLO_MS = 10_000;
/** Time, in milliseconds, to deliver the frame with the reason before the socket closes. */
const GRACE_MS = 200;

export interface EndpointPorts {
  runtime: Client;
  version: string;
  storeUrl: string | undefined;
  report: (line: string) => void;
}

export interface Endpoint {
  /** Resolves when no workflow of another connected process runs any more, or the signal aborts. */
  idle(leave: AbortSignal, onWait: (count: number) => void): Promise<void>;
  /** Disconnects all processes; new ones wait for the next owner. */
  close(): void;
}

export function openEndpoint(ownership: Ownership, ports: EndpointPorts): Endpoint {
  const guests = new Map<WebSocket, Guest>();
  // Also those that are not admitted yet: one that is let in after the end would wait for an answer that never comes.
  const connections = new Set<WebSocket>();
  let closed = false;
  let sockets: Promise<WebSocketServer> | null = null;
  const leave = (connection: WebSocket) => connection.close(CLOSE.restart, 'the owner leaves');
  ownership.onUpgrade((request, socket, head) => {
    // Loaded for the first connection: most owners never have one.
    sockets ??= import('ws').then(
      ({ WebSocketServer: Server }) =>
        new Server({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false }),
    );
    accept(sockets, request, socket, head, (connection) => {
      connections.add(connection);
      connection.on('close', () => connections.delete(connection));
      welcome(connection, ports, guests);
      if (closed) leave(connection);
    }).catch((error: unknown) => {
      ports.report(`endpoint: ${errorInfo(error).message}`);
      socket.destroy();
    });
  });
  return {
    idle: (leave, onWait) => idle(ports.runtime, guests, leave, onWait),
    close: () => {
      closed = true;
      ownership.onUpgrade(null);
      for (const connection of connections) leave(connection);
      setTimeout(() => {
        for (const connection of connections) connection.terminate();
      }, GRACE_MS).unref();
    },
  };
}

async function accept(
  sockets: Promise<WebSocketServer>,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  then: (connection: WebSocket) => void,
): Promise<void> {
  // Handles socket errors until `ws` takes over.
  const drop = () => socket.destroy();
  socket.on('error', drop);
  const server = await sockets;
  server.handleUpgrade(request, socket, head, (connection) => {
    socket.off('error', drop);
    then(connection);
  });
}

/** Expects the handshake as the first frame; after the reply, frames of the contract follow. */
function welcome(connection: WebSocket, ports: EndpointPorts, guests: Map<WebSocket, Guest>): void {
  const { runtime, report } = ports;
  const timer = setTimeout(() => connection.terminate(), HELLO_MS);
  connection.on('error', (error) => report(`endpoint: ${error.message}`));
  connection.on('close', () => {
    clearTimeout(timer);
    guests.delete(connection);
  });
  connection.once('message', (data) => {
    clearTimeout(timer);
    admit(data, ports).then(
      (folder) => {
        if (connection.readyState !== connection.OPEN) return;
        const guest = guestOf(runtime, folder);
        guests.set(connection, guest);
        attachSocket(connection, guest.client, report, MAX_SUBSCRIPTIONS);
        connection.send(JSON.stringify({ ok: true, value: {} }));
      },
      (error: unknown) => {
        const { code, message } = errorInfo(error);
        connection.send(JSON.stringify({ ok: false, error: { code, message } }));
        connection.close(CLOSE.policy, 'refused');
      },
    );
  });
}

/** The default folder of an admitted process. Rejects with the reason of a refusal. */
async function admit(data: RawData, { runtime, version, storeUrl }: EndpointPorts): Promise<string> {
  const hello = Hello.safeParse(jsonOf(data));
  if (!hello.success) throw new TriadError('bad_input', 'This is not the greeting of a Triad process');
  const { provider } = await runtime.request('app.state', {});
  const facts: OwnerFacts = { version, baseUrl: provider.baseUrl, storeUrl: storeUrl ?? null };
  const refused = refusalOf(hello.data, facts);
  if (refused !== null) throw refused;
  return hello.data.folder;
}

async function idle(
  runtime: Client,
  guests: ReadonlyMap<WebSocket, Guest>,
  leave: AbortSignal,
  onWait: (count: number) => void,
): Promise<void> {
  const done = Promise.withResolvers<void>();
  const looks = new SerialQueue();
  let told = false;
  const lookOnce = async () => {
    const count = await working(runtime, [...guests.values()]);
    if (count === 0) return done.resolve();
    if (!told) onWait(count);
    told = true;
  };
  const look = () => {
    looks.add(lookOnce).catch(done.reject);
  };
  const leaving = () => done.resolve();
  if (leave.aborted) return;
  leave.addEventListener('abort', leaving, { once: true });
  for (const connection of guests.keys()) connection.once('close', look);
  // Called at once and after every change.
  const end = await runtime.subscribe('attention', { canAnswer: false }, look);
  try {
    await done.promise;
  } finally {
    end();
    leave.removeEventListener('abort', leaving);
    for (const connection of guests.keys()) connection.off('close', look);
  }
}

/** Number of guests' workflows whose end is not stored yet: a stored end has been sent to them too. */
async function working(runtime: Client, guests: readonly Guest[]): Promise<number> {
  const ids = new Set(guests.flatMap(({ workflows }) => [...workflows]));
  const rows = await Promise.all(
    [...ids].map(async (workflowId) => (await runtime.request('workflow.get', { workflowId })).workflow),
  );
  return rows.filter(({ outcome }) => outcome === null).length;
}
