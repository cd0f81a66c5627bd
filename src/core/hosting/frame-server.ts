/** One client of the runtime behind a link that carries frames: what comes in is parsed and answered, events go out. */
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
import { errorInfo, TriadError } from '../base/errors.ts';
import { createOutbox, type Outbox } from './outbox.ts';

/** A client that is this far behind gets no hints: the end of a message carries all of it. */
const CONGESTED_BYTES = 8 * 1024 * 1024;
/** Of one page; a process that serves pages of its own needs more. */
const MAX_SUBSCRIPTIONS = 64;

const Numbered = z.object({ id: z.int() });

/** The way to the other side, whatever carries it. */
export interface FrameLink {
  /** Does nothing once the other side has gone. */
  send(frame: ServerFrame): void;
  /** Bytes that wait to leave; 0 where the link cannot tell. */
  backlog(): number;
}

export interface FrameServer {
  /** Takes one frame as a JSON value; false for what is no frame at all, so that the link is not worth keeping. */
  receive(value: unknown): boolean;
  /** The other side has gone: ends its subscriptions. */
  close(): void;
}

interface Subscription {
  end: (() => void) | null;
  outbox: Outbox | null;
}

interface Session {
  client: Client;
  link: FrameLink;
  subscriptions: Map<number, Subscription>;
  maxSubscriptions: number;
}

/** `report` gets what nobody foresaw: the developer's line, never sent to the other side. */
export function serveFrames(
  link: FrameLink,
  client: Client,
  report: (line: string) => void,
  maxSubscriptions = MAX_SUBSCRIPTIONS,
): FrameServer {
  const session: Session = { client, link, subscriptions: new Map(), maxSubscriptions };
  const { subscriptions } = session;
  const reply = (id: number, value: Reply<unknown>) => link.send({ kind: 'reply', id, reply: value });
  const answer = async (id: number, work: () => Promise<unknown>) => {
    try {
      reply(id, { ok: true, value: (await work()) ?? null });
    } catch (error) {
      reply(id, { ok: false, error: shown(errorInfo(error), report) });
    }
  };
  const handle = (frame: ClientFrame) => {
    if (frame.kind === 'request') void answer(frame.id, () => request(client, frame.method, frame.input));
    else if (frame.kind === 'unsubscribe') end(subscriptions, frame.id);
    else void answer(frame.id, () => subscribe(session, frame));
  };
  return {
    receive: (value) => {
      const frame = ClientFrame.safeParse(value);
      if (frame.success) {
        handle(frame.data);
        return true;
      }
      const numbered = Numbered.safeParse(value);
      if (!numbered.success) return false;
      const message = 'This is not a frame of the protocol';
      reply(numbered.data.id, { ok: false, error: { code: 'bad_input', message } });
      return true;
    },
    close: () => {
      for (const id of [...subscriptions.keys()]) end(subscriptions, id);
    },
  };
}

async function request(client: Client, method: string, input: unknown): Promise<unknown> {
  if (!Object.hasOwn(methods, method))
    throw new TriadError('bad_input', `There is no method "${method.slice(0, 100)}"`);
  // The runtime parses the input itself: the type is what it will have once parsed.
  return client.request(method as MethodName, input as Input<MethodName>);
}

/** Resolves when the subscription stands; its events leave after the answer that says so. */
async function subscribe(
  { client, link, subscriptions, maxSubscriptions }: Session,
  { id, topic, input }: { id: number; topic: string; input: unknown },
): Promise<void> {
  if (!Object.hasOwn(topics, topic)) throw new TriadError('bad_input', `There is no topic "${topic.slice(0, 100)}"`);
  if (subscriptions.has(id)) throw new TriadError('conflict', `Subscription ${id} exists`);
  if (subscriptions.size >= maxSubscriptions)
    throw new TriadError('limit_reached', 'This client has too many subscriptions');
  const emit = (events: unknown[]) => link.send({ kind: 'events', id, events });
  const outbox = topic === 'conversation' ? createOutbox(emit, () => link.backlog() > CONGESTED_BYTES) : null;
  const subscription: Subscription = { end: null, outbox };
  subscriptions.set(id, subscription);

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
    // The other side may have left, or taken it back, meanwhile.
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

/** What the other side may read of an error: never a stack; of what nobody foresaw not even the text, which may name anything. */
function shown(error: ErrorInfo, report: (line: string) => void): ErrorInfo {
  if (error.code !== 'internal') return { code: error.code, message: error.message };
  report(error.detail ?? error.message);
  return { code: 'internal', message: 'Something went wrong inside Triad; its terminal shows what' };
}
