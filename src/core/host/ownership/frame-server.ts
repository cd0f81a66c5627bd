/** Serves one client over a link of frames: parses and answers its requests, and sends its events. */
import { z } from 'zod';
import type { ErrorInfo, Reply } from '#contract/error.ts';
import type { AgentEvent } from '#contract/event.ts';
import { ClientFrame, type ServerFrame } from '#contract/frames.ts';
import {
  type Client,
  type Input,
  type MethodName,
  methods,
  type TopicEvent,
  type TopicInput,
  type TopicName,
  topics,
} from '#contract/rpc.ts';
import { errorInfo, TriadError } from '#core/base/errors.ts';
import { createOutbox, type Outbox } from './outbox.ts';

/** Backlog above which a client gets no hints: the end of a message carries its whole text. */
const CONGESTED_BYTES = 8 * 1024 * 1024;
/** Limit for one page; a process that serves several pages needs more. */
const MAX_SUBSCRIPTIONS = 64;

const Numbered = z.object({ id: z.int() });

/** A transport for frames. */
export interface FrameLink {
  /** Does nothing once the other side has disconnected. */
  send(frame: ServerFrame): void;
  /** Unsent bytes; 0 if the transport cannot tell. */
  backlog(): number;
  /** Hears of what the protocol does not have: what was sent is answered or not, and did nothing. */
  refused?: (why: string) => void;
}

export interface FrameServer {
  /** Takes one frame as a JSON value. Returns false if it is not a frame: the link should be closed. */
  receive(value: unknown): boolean;
  /** Ends all subscriptions after the other side has disconnected. */
  close(): void;
}

type Asking = Exclude<ClientFrame, { kind: 'unsubscribe' }>;

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

/** `report` gets the details of internal errors, which are never sent to the other side. */
export function serveFrames(
  link: FrameLink,
  client: Client,
  report: (line: string) => void,
  maxSubscriptions = MAX_SUBSCRIPTIONS,
): FrameServer {
  const session: Session = { client, link, subscriptions: new Map(), maxSubscriptions };
  const { subscriptions } = session;
  const reply = (id: number, value: Reply<unknown>) => link.send({ kind: 'reply', id, reply: value });
  const answer = async (frame: Asking, work: () => Promise<unknown>) => {
    const { id } = frame;
    try {
      reply(id, { ok: true, value: (await work()) ?? null });
    } catch (error) {
      const why = link.refused ? misfit(frame) : null;
      if (why !== null) link.refused?.(why);
      reply(id, { ok: false, error: shown(errorInfo(error), report) });
    }
  };
  const handle = (frame: ClientFrame) => {
    if (frame.kind === 'request') void answer(frame, () => request(client, frame.method, frame.input));
    else if (frame.kind === 'unsubscribe') end(subscriptions, frame.id);
    else void answer(frame, () => subscribe(session, frame));
  };
  return {
    receive: (value) => {
      const frame = ClientFrame.safeParse(value);
      if (frame.success) {
        handle(frame.data);
        return true;
      }
      link.refused?.('that is no frame');
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

/** What no page of this version sends; null for everything else, whatever becomes of it. */
function misfit(frame: Asking): string | null {
  const name = frame.kind === 'request' ? frame.method : frame.topic;
  if (!Object.hasOwn(frame.kind === 'request' ? methods : topics, name))
    return `for "${name.slice(0, 100)}", which there is not`;
  const schema = frame.kind === 'request' ? methods[name as MethodName].input : topics[name as TopicName];
  return schema.safeParse(frame.input).success ? null : `for ${name} with an input that it does not take`;
}

async function request(client: Client, method: string, input: unknown): Promise<unknown> {
  if (!Object.hasOwn(methods, method))
    throw new TriadError('bad_input', `There is no method "${method.slice(0, 100)}"`);
  // The runtime parses the input, so the cast is safe.
  return client.request(method as MethodName, input as Input<MethodName>);
}

/** Resolves when subscribed; events follow the reply. Rejects with `bad_input`, `conflict` or `limit_reached`. */
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
    // Disconnected or unsubscribed meanwhile.
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

/** The part of an error that may be sent: never a stack, and for internal errors not even the message. */
function shown(error: ErrorInfo, report: (line: string) => void): ErrorInfo {
  const { code, message, says } = error;
  if (code !== 'internal') return { code, message, ...(says && { says }) };
  report(error.detail ?? error.message);
  return { code: 'internal', message: 'Something went wrong inside Triad; its terminal shows what' };
}
