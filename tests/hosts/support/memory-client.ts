/** A client of no runtime: answers come from the test, events go where they are subscribed. */
import type { Client, Input, MethodName, Output, TopicEvent, TopicInput, TopicName } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';

type Answers = { [M in MethodName]?: (input: Input<M>) => Output<M> | Promise<Output<M>> };
interface Subscriber {
  topic: TopicName;
  input: unknown;
  listener: (event: never) => void;
}

export interface MemoryClient extends Client {
  /** Every request in order. */
  readonly requests: { method: MethodName; input: unknown }[];
  readonly subscribers: Subscriber[];
  emit<T extends TopicName>(topic: T, event: TopicEvent[T]): void;
}

/** A store of which nothing is missing, no archive, no servers, no telemetry. */
const WHOLE: Answers = {
  'archive.conversations': () => null,
  'conversation.check': () => ({ workflows: 0, events: 0, missing: [] }),
  'conversation.list': () => ({ items: [], next: null }),
  'conversation.work': ({ conversationIds }) =>
    conversationIds.map((conversationId) => ({ conversationId, workflows: [] })),
  'journal.state': () => null,
  'journal.check': () => null,
  'mcp.list': () => [],
  'telemetry.state': () => ({
    endpoint: null,
    source: null,
    content: false,
    headersOf: null,
    sent: 0,
    waiting: 0,
    dropped: 0,
    failure: null,
  }),
  'store.unlisted': () => ({ conversations: 0, workflows: 0 }),
};

export function memoryClient(given: Answers = {}): MemoryClient {
  const answers: Answers = { ...WHOLE, ...given };
  const requests: { method: MethodName; input: unknown }[] = [];
  const subscribers: Subscriber[] = [];
  return {
    requests,
    subscribers,
    request: async <M extends MethodName>(method: M, input: Input<M>): Promise<Output<M>> => {
      requests.push({ method, input });
      const answer = answers[method];
      if (!answer) throw new TriadError('not_found', `nothing here answers ${method}`);
      return answer(input);
    },
    subscribe: async <T extends TopicName>(
      topic: T,
      input: TopicInput<T>,
      listener: (event: TopicEvent[T]) => void,
    ) => {
      const subscriber: Subscriber = { topic, input, listener };
      subscribers.push(subscriber);
      return () => void subscribers.splice(subscribers.indexOf(subscriber), 1);
    },
    emit: (topic, event) => {
      // Each listener was stored with the topic that it is for.
      for (const { topic: other, listener } of [...subscribers]) if (other === topic) listener(event as never);
    },
  };
}
