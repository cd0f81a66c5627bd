/** The channel between a test and a program of its own, the same at both ends: each tells and asks the other by name. */

/** A process, seen from its parent or from inside. */
interface Channel {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  send?(message: unknown, sent: (error: Error | null) => void): unknown;
}

/** What is asked is called at once, in the order in which it was sent. */
type Serve = (detail: never) => unknown;

type Message =
  | { tell: string; detail: unknown }
  | { ask: string; id: number; detail: unknown }
  | { answer: number; value: unknown }
  | { refused: number; error: string };

export class Wire {
  readonly #channel: Channel;
  readonly #unserved: (name: string, detail: unknown) => void;
  readonly #served = new Map<string, Serve>();
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #count = 0;
  #closed = false;

  /** `unserved` gets what was told and nothing serves. */
  constructor(channel: Channel, unserved: (name: string, detail: unknown) => void = () => undefined) {
    this.#channel = channel;
    this.#unserved = unserved;
    channel.on('message', (message) => this.#receive(message as Message));
  }

  on(name: string, serve: Serve): void {
    this.#served.set(name, serve);
  }

  tell(name: string, detail: unknown): void {
    this.#send({ tell: name, detail });
  }

  /** Rejects with what the other end throws, and when that end is gone. */
  ask<T = unknown>(name: string, detail?: unknown): Promise<T> {
    const id = (this.#count += 1);
    const waiting = Promise.withResolvers<T>();
    if (this.#closed) waiting.reject(new Error(`Nobody is left to be asked for "${name}"`));
    // The other end answers what belongs to the name.
    else this.#waiting.set(id, waiting as PromiseWithResolvers<unknown>);
    this.#send({ ask: name, id, detail });
    return waiting.promise;
  }

  /** To be called when the other end is gone. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.values()) reject(new Error('The other end is gone'));
    this.#waiting.clear();
  }

  #send(message: Message): void {
    // An end that is about to go is told nothing more; what it was asked is rejected then.
    if (!this.#closed) this.#channel.send?.(message, () => undefined);
  }

  #receive(message: Message): void {
    if ('ask' in message) void this.#answer(message);
    else if ('tell' in message) {
      const { tell, detail } = message;
      const serve = this.#served.get(tell);
      if (serve === undefined) this.#unserved(tell, detail);
      else serve(detail as never);
    } else {
      const id = 'answer' in message ? message.answer : message.refused;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if ('answer' in message) waiting?.resolve(message.value);
      else waiting?.reject(new Error(message.error));
    }
  }

  async #answer({ ask, id, detail }: Extract<Message, { ask: string }>): Promise<void> {
    try {
      const serve = this.#served.get(ask);
      if (serve === undefined) throw new Error(`There is no "${ask}" here`);
      this.#send({ answer: id, value: await serve(detail as never) });
    } catch (error) {
      this.#send({ refused: id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
}
