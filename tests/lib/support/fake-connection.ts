/** A connection whose other side is the test: it answers methods and sends events. */
import type { Input, MethodName, Output, TopicEvent, TopicInput, TopicName } from '#contract/rpc.ts';
import type { Connection, ConnectionStatus } from '#lib/app/client/connection.ts';
import { RequestError } from '#lib/words/request-error.ts';

type Handler = (input: never) => unknown;

export class FakeConnection implements Connection {
  status: ConnectionStatus = 'open';
  readonly refusal = null;
  /** Methods in the order in which they were called, with what was sent. */
  readonly calls: { method: MethodName; input: unknown }[] = [];
  /** Subscriptions that stand. */
  readonly subscriptions: { topic: TopicName; input: unknown; send: (event: unknown) => void }[] = [];
  readonly #handlers = new Map<MethodName, Handler>();
  readonly #onOpen = new Set<() => void>();

  on<M extends MethodName>(method: M, handler: (input: Input<M>) => Output<M> | Promise<Output<M>>): this {
    this.#handlers.set(method, handler);
    return this;
  }

  async request<M extends MethodName>(method: M, input: Input<M>): Promise<Output<M>> {
    this.calls.push({ method, input });
    const handler = this.#handlers.get(method);
    if (!handler) throw new RequestError('internal', `The test does not answer ${method}`);
    return (await handler(input as never)) as Output<M>;
  }

  async subscribe<T extends TopicName>(
    topic: T,
    input: TopicInput<T>,
    listener: (event: TopicEvent[T]) => void,
  ): Promise<() => void> {
    const subscription = { topic, input, send: listener as (event: unknown) => void };
    this.subscriptions.push(subscription);
    return () => {
      const at = this.subscriptions.indexOf(subscription);
      if (at >= 0) this.subscriptions.splice(at, 1);
    };
  }

  send<T extends TopicName>(topic: T, event: TopicEvent[T]): void {
    for (const subscription of [...this.subscriptions]) if (subscription.topic === topic) subscription.send(event);
  }

  /** As after a broken connection was made again. */
  reopen(): void {
    this.subscriptions.length = 0;
    for (const listener of [...this.#onOpen]) listener();
  }

  onOpen(listener: () => void): () => void {
    this.#onOpen.add(listener);
    return () => this.#onOpen.delete(listener);
  }

  onStatus(): () => void {
    return () => undefined;
  }

  close(): void {
    this.status = 'closed';
  }
}

/** Lets everything that waits for nothing but promises go on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}
