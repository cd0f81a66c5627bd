/** One tab's WebSocket: frames in are parsed, answered by the client of the runtime, and events go out. */
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { ErrorInfo, Reply } from '#contract/error.ts';
import type { AgentEvent } from '#contract/event.ts';
import {
  type Client,
  ClientFrame,
  type Input,
  type MethodName,
  methods,
  type ServerFrame,
  type TopicEvent,
  type TopicInput,
  type TopicName,
  topics,
} from '#contract/rpc.ts';
import { errorInfo, TriadError } from '#core/errors.ts';
import { createOutbox, type Outbox } from './outbox.ts';

/** A tab that is this far behind gets no hints; one that is further behind is cut off and attaches again. */
const CONGESTED_BYTES = 8 * 1024 * 1024;
const LOST_BYTES = 128 * 1024 * 1024;
const MAX_SUBSCRIPTIONS = 64;
const HEARTBEAT_MS = 30_000;

/** Close codes of RFC 6455. */
const UNSUPPORTED = 1003;
const POLICY = 1008;

const Numbered = z.object({ id: z.int() });

interface Subscription {
  end: (() => void) | null;
  outbox: Outbox | null;
}

/** `report` gets what nobody foresaw: the developer's line, never sent to the tab. */
export function attachConnection(socket: WebSocket, client: Client, report: (line: string) => void): void {
  const subscriptions = new Map<number, Subscription>();
  const send = (frame: ServerFrame) => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > LOST_BYTES) socket.terminate();
    else socket.send(JSON.stringify(frame));
  };
  const reply = (id: number, value: Reply<unknown>) => send({ kind: 'reply', id, reply: value });
  const answer = async (id: number, work: () => Promise<unknown>) => {
    try {
      reply(id, { ok: true, value: (await work()) ?? null });
    } catch (error) {
      reply(id, { ok: false, error: shown(errorInfo(error), report) });
    }
  };

  const handle = (frame: ClientFrame) => {
    if (frame.kind === 'request') {
      void answer(frame.id, () => request(client, frame.method, frame.input));
    } else if (frame.kind === 'unsubscribe') {
      end(subscriptions, frame.id);
    } else {
      void answer(frame.id, () =>
        subscribe(client, frame, subscriptions, send, () => socket.bufferedAmount > CONGESTED_BYTES),
      );
    }
  };

  socket.on('message', (data, isBinary) => {
    if (isBinary) return socket.close(UNSUPPORTED, 'frames are text');
    const frame = parse(data);
    if (frame.ok) return handle(frame.value);
    if (frame.id === null) return socket.close(POLICY, 'not a frame');
    reply(frame.id, {
      ok: false,
      error: { code: 'bad_input', message: 'This is not a frame of the protocol' },
    });
  });
  // An error always comes before a close, which is where everything ends.
  socket.on('error', (error) => report(`connection: ${error.message}`));
  const stopHeartbeat = heartbeat(socket);
  socket.on('close', () => {
    stopHeartbeat();
    for (const id of [...subscriptions.keys()]) end(subscriptions, id);
  });
}

async function request(client: Client, method: string, input: unknown): Promise<unknown> {
  if (!Object.hasOwn(methods, method))
    throw new TriadError('bad_input', `There is no method "${method.slice(0, 100)}"`);
  // The runtime parses the input itself: the type is what it will have once parsed.
  return client.request(method as MethodName, input as Input<MethodName>);
}

/** Resolves when the subscription stands; its events leave after the answer that says so. */
async function subscribe(
  client: Client,
  frame: { id: number; topic: string; input: unknown },
  subscriptions: Map<number, Subscription>,
  send: (frame: ServerFrame) => void,
  congested: () => boolean,
): Promise<void> {
  const { id, topic, input } = frame;
  if (!Object.hasOwn(topics, topic))
    throw new TriadError('bad_input', `There is no topic "${topic.slice(0, 100)}"`);
  if (subscriptions.has(id)) throw new TriadError('conflict', `Subscription ${id} exists`);
  if (subscriptions.size >= MAX_SUBSCRIPTIONS)
    throw new TriadError('limit_reached', 'This tab has too many subscriptions');
  const subscription: Subscription = { end: null, outbox: null };
  subscriptions.set(id, subscription);
  const emit = (events: unknown[]) => send({ kind: 'events', id, events });
  const outbox = topic === 'conversation' ? createOutbox(emit, congested) : null;
  subscription.outbox = outbox;

  const early: TopicEvent[TopicName][] = [];
  let open = false;
  const pass = (event: TopicEvent[TopicName]) => {
    if (outbox === null) emit([event]);
    else outbox.push(event as AgentEvent);
  };
  try {
    const stop = await client.subscribe(topic as TopicName, input as TopicInput<TopicName>, (event) => {
      if (open) pass(event);
      else early.push(event);
    });
    // The tab may have left, or taken it back, meanwhile.
    if (subscriptions.get(id) !== subscription) return stop();
    subscription.end = stop;
    setImmediate(() => {
      open = true;
      for (const event of early.splice(0)) pass(event);
    });
  } catch (error) {
    if (subscriptions.get(id) === subscription) subscriptions.delete(id);
    throw error;
  }
}

function end(subscriptions: Map<number, Subscription>, id: number): void {
  const subscription = subscriptions.get(id);
  subscriptions.delete(id);
  subscription?.outbox?.close();
  subscription?.end?.();
}

function parse(data: RawData): { ok: true; value: ClientFrame } | { ok: false; id: number | null } {
  let json: unknown;
  try {
    // Text frames arrive as one Buffer: `ws` makes other shapes only for other binary types.
    json = JSON.parse((data as Buffer).toString('utf8'));
  } catch {
    return { ok: false, id: null };
  }
  const frame = ClientFrame.safeParse(json);
  if (frame.success) return { ok: true, value: frame.data };
  const numbered = Numbered.safeParse(json);
  return { ok: false, id: numbered.success ? numbered.data.id : null };
}

/** What a tab may read of an error: never a stack; of what nobody foresaw not even the text, which may name anything. */
function shown(error: ErrorInfo, report: (line: string) => void): ErrorInfo {
  if (error.code !== 'internal') return { code: error.code, message: error.message };
  report(error.detail ?? error.message);
  return { code: 'internal', message: 'Something went wrong inside Triad; its terminal shows what' };
}

/** Ends connections whose other side has silently gone. */
function heartbeat(socket: WebSocket): () => void {
  let alive = true;
  socket.on('pong', () => (alive = true));
  const timer = setInterval(() => {
    if (!alive) return socket.terminate();
    alive = false;
    socket.ping();
  }, HEARTBEAT_MS);
  timer.unref();
  return () => clearInterval(timer);
}
