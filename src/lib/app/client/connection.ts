/** A runtime over one link at a time: requests and subscriptions of the contract, with reconnection. */
import type { ClientFrame, ServerFrame } from '#contract/frames.ts';
import type { Client, Input, MethodName, Output, TopicEvent, TopicInput, TopicName } from '#contract/rpc.ts';
import { text } from '#lib/words/text.ts';
import type { Link, Refusal } from './link.ts';
import { RequestError } from '#lib/words/request-error.ts';

/** `refused`: the host does not let this browser in, and only the person can change that. */
export type ConnectionStatus = 'connecting' | 'open' | 'reconnecting' | 'refused' | 'closed';

/** A client whose connection can break: its subscriptions end then, and `onOpen` tells when to subscribe again. */
export interface Connection extends Client {
  readonly status: ConnectionStatus;
  /** Why it is refused; null in any other status. */
  readonly refusal: Refusal | null;
  /** Calls back at every opening, the first included; the returned function removes the listener. */
  onOpen(listener: () => void): () => void;
  onStatus(listener: (status: ConnectionStatus) => void): () => void;
  close(): void;
}

interface Pending {
  resolve: (value: unknown) => void;
  reject: (error: RequestError) => void;
}
type Listener = (event: never) => void;

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5000;

export class LinkConnection implements Connection {
  readonly #openLink: () => Link;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<number, Listener>();
  readonly #onOpen = new Set<() => void>();
  readonly #onStatus = new Set<(status: ConnectionStatus) => void>();
  /** Frames of requests made before the first opening; sent once it is open. */
  #queuedFrames: ClientFrame[] = [];
  #link: Link | null = null;
  #status: ConnectionStatus = 'connecting';
  #refusal: Refusal | null = null;
  #lastId = 0;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(openLink: () => Link) {
    this.#openLink = openLink;
    this.#connect();
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  get refusal(): Refusal | null {
    return this.#refusal;
  }

  /** Asks to be let in once more, where the host refused; at once, where it waits to ask again. */
  retry(): void {
    if (this.#status === 'refused') {
      this.#refusal = null;
      this.#setStatus('connecting');
    } else if (this.#timer === undefined) return;
    this.#endWait();
    this.#failures = 0;
    this.#connect();
  }

  onOpen(listener: () => void): () => void {
    this.#onOpen.add(listener);
    return () => this.#onOpen.delete(listener);
  }

  onStatus(listener: (status: ConnectionStatus) => void): () => void {
    this.#onStatus.add(listener);
    return () => this.#onStatus.delete(listener);
  }

  /**
   * Rejects with a `RequestError`: the code of the host, or `disconnected` where there is no connection to ask over.
   */
  async request<M extends MethodName>(method: M, input: Input<M>): Promise<Output<M>> {
    const id = ++this.#lastId;
    // The server answers a method with its declared output.
    return (await this.#call({ kind: 'request', id, method, input })) as Output<M>;
  }

  /** Resolves with the function that ends the subscription; rejects as `request` does. */
  async subscribe<T extends TopicName>(
    topic: T,
    input: TopicInput<T>,
    listener: (event: TopicEvent[T]) => void,
  ): Promise<() => void> {
    const id = ++this.#lastId;
    // Events may arrive together with the reply, so the listener is registered first.
    this.#listeners.set(id, listener);
    try {
      await this.#call({ kind: 'subscribe', id, topic, input });
    } catch (error) {
      this.#listeners.delete(id);
      throw error;
    }
    return () => {
      if (this.#listeners.delete(id)) this.#send({ kind: 'unsubscribe', id });
    };
  }

  close(): void {
    this.#endWait();
    this.#setStatus('closed');
    this.#link?.close();
    this.#rejectPending();
  }

  #call(frame: Exclude<ClientFrame, { kind: 'unsubscribe' }>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#status !== 'open' && this.#status !== 'connecting') {
        reject(new RequestError('disconnected', text.connection.notConnected));
        return;
      }
      this.#pending.set(frame.id, { resolve, reject });
      if (this.#status === 'connecting') this.#queuedFrames.push(frame);
      else this.#send(frame);
    });
  }

  #send(frame: ClientFrame): void {
    this.#link?.send(frame);
  }

  #connect(): void {
    const link = this.#openLink();
    this.#link = link;
    link.onopen = () => this.#handleOpen();
    link.onframe = (frame) => this.#receive(frame);
    link.onclose = (refusal) => {
      if (this.#link === link) this.#handleClose(refusal);
    };
  }

  #handleOpen(): void {
    this.#failures = 0;
    this.#setStatus('open');
    const queued = this.#queuedFrames;
    this.#queuedFrames = [];
    for (const frame of queued) this.#send(frame);
    for (const listener of [...this.#onOpen]) listener();
  }

  #handleClose(refusal: Refusal | null): void {
    if (this.#status === 'closed') return;
    if (refusal !== null) {
      this.#refusal = refusal;
      this.#setStatus('refused');
      this.#rejectPending();
      return;
    }
    // Before the first opening nothing is pending on the link: early requests stay queued.
    if (this.#status === 'open') {
      this.#setStatus('reconnecting');
      this.#rejectPending();
    }
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS);
    this.#failures += 1;
    this.#timer = setTimeout(
      () => {
        this.#endWait();
        this.#connect();
      },
      delay * (0.8 + Math.random() * 0.4),
    );
  }

  #endWait(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #rejectPending(): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.#listeners.clear();
    this.#queuedFrames = [];
    for (const { reject } of pending) reject(new RequestError('disconnected', text.connection.lost));
  }

  #receive(frame: ServerFrame): void {
    if (frame.kind === 'events') {
      const listener = this.#listeners.get(frame.id) as ((event: unknown) => void) | undefined;
      for (const event of frame.events) listener?.(event);
      return;
    }
    const pending = this.#pending.get(frame.id);
    this.#pending.delete(frame.id);
    if (frame.reply.ok) {
      pending?.resolve(frame.reply.value);
      return;
    }
    const { error } = frame.reply;
    pending?.reject(new RequestError(error.code, error.message, error.says));
  }

  #setStatus(status: ConnectionStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    for (const listener of [...this.#onStatus]) listener(status);
  }
}
