/** A client of the owner's runtime in another process, over one authenticated WebSocket. */
import { WebSocket } from 'ws';
import type { ClientFrame, ServerFrame } from '#contract/frames.ts';
import type { Client, Input, MethodName, Output, TopicEvent, TopicInput, TopicName } from '#contract/rpc.ts';
import type { ErrorInfo, Reply } from '#contract/error.ts';
import { TriadError } from '#core/base/errors.ts';
import type { Instance } from './ping-server.ts';
import { type Hello, strangeOwner } from './handshake.ts';
import { jsonOf } from './web-socket.ts';

export interface OwnerConnection {
  client: Client;
  /** Aborts when the owner has gone, before pending requests reject. */
  lost: AbortSignal;
  close(): void;
}

/** Connects; waits while the owner is still opening its store. Null if the owner has gone or is closing. */
export async function connectToOwner(
  owner: Instance,
  hello: Hello,
  signal: AbortSignal,
): Promise<OwnerConnection | null> {
  signal.throwIfAborted();
  const socket = new WebSocket(`${owner.url.replace(/^http/, 'ws')}/rpc`, {
    headers: { authorization: `Bearer ${owner.token}` },
    perMessageDeflate: false,
    // No limit: the owner is our own program, and snapshots may be long.
    maxPayload: 0,
  });
  const opened = Promise.withResolvers<Reply<unknown> | null>();
  const abandon = () => opened.reject(signal.reason as Error);
  signal.addEventListener('abort', abandon, { once: true });
  // `close` follows every `error`.
  socket.on('error', () => undefined);
  socket.once('close', () => opened.resolve(null));
  socket.once('unexpected-response', () => opened.reject(strangeOwner(owner)));
  socket.once('open', () => socket.send(JSON.stringify(hello)));
  // Registered before the first frame can arrive.
  let connection: OwnerConnection | null = null;
  socket.once('message', (data) => {
    connection = attach(socket, owner);
    opened.resolve(jsonOf(data) as Reply<unknown>);
  });
  try {
    const reply = await opened.promise;
    if (reply === null) return null;
    if (!reply.ok) throw errorOf(reply.error);
    return connection;
  } catch (error) {
    socket.terminate();
    throw error;
  } finally {
    signal.removeEventListener('abort', abandon);
  }
}

interface Pending {
  resolve: (value: unknown) => void;
  reject: (error: TriadError) => void;
}

function attach(socket: WebSocket, { pid }: Instance): OwnerConnection {
  const pending = new Map<number, Pending>();
  const listeners = new Map<number, (event: unknown) => void>();
  const loss = new AbortController();
  const gone = new TriadError('disconnected', `The Triad that did the work (pid ${pid}) has ended`);
  let lastId = 0;
  socket.on('message', (data) => receive(jsonOf(data) as ServerFrame, pending, listeners));
  socket.once('close', () => {
    loss.abort(gone);
    listeners.clear();
    for (const { reject } of pending.values()) reject(gone);
    pending.clear();
  });
  const send = (frame: ClientFrame) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  };
  const call = (frame: Exclude<ClientFrame, { kind: 'unsubscribe' }>) =>
    new Promise<unknown>((resolve, reject) => {
      if (loss.signal.aborted) return reject(gone);
      // A closing socket sends nothing; its `close` event rejects all pending requests.
      pending.set(frame.id, { resolve, reject });
      send(frame);
    });
  const client: Client = {
    // The owner answers a method with its declared output.
    request: async <M extends MethodName>(method: M, input: Input<M>): Promise<Output<M>> =>
      (await call({ kind: 'request', id: ++lastId, method, input })) as Output<M>,
    subscribe: async <T extends TopicName>(
      topic: T,
      input: TopicInput<T>,
      listener: (event: TopicEvent[T]) => void,
    ) => {
      const id = ++lastId;
      // Registered first: events may arrive together with the reply.
      listeners.set(id, listener as (event: unknown) => void);
      await call({ kind: 'subscribe', id, topic, input }).catch((error: unknown) => {
        listeners.delete(id);
        throw error;
      });
      return () => {
        if (listeners.delete(id)) send({ kind: 'unsubscribe', id });
      };
    },
  };
  return { client, lost: loss.signal, close: () => socket.close() };
}

function receive(
  frame: ServerFrame,
  pending: Map<number, Pending>,
  listeners: ReadonlyMap<number, (event: unknown) => void>,
): void {
  if (frame.kind === 'events') {
    const listener = listeners.get(frame.id);
    for (const event of frame.events) listener?.(event);
    return;
  }
  const asked = pending.get(frame.id);
  pending.delete(frame.id);
  if (frame.reply.ok) asked?.resolve(frame.reply.value);
  else asked?.reject(errorOf(frame.reply.error));
}

/** The owner's error codes are those of the contract. */
function errorOf({ code, message, says }: Pick<ErrorInfo, 'message' | 'says'> & { code: string }): TriadError {
  return new TriadError(code as ErrorInfo['code'], message, { says });
}
