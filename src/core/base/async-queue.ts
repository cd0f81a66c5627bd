/** A queue between concurrent producers and one consumer: a push resolves with what the consumer made of the item. */

interface Waiting<T, R> {
  item: T;
  done: (result: R) => void;
  abandon: (error: Error) => void;
}

export class AsyncQueue<T, R> {
  #items: Waiting<T, R>[] = [];
  #wake: (() => void) | null = null;
  #closed = false;

  /** Resolves with the consumer's result for this item; rejects when the queue is closed or the consumer leaves. May be left unawaited. */
  push(item: T): Promise<R> {
    const result = new Promise<R>((done, abandon) => {
      if (this.#closed) return abandon(new Error('The queue is closed'));
      this.#items.push({ item, done, abandon });
      this.#wake?.();
    });
    result.catch(() => undefined);
    return result;
  }

  /** Accepts no more items; the consumer ends when the queue is empty. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** Yields the items in order; the value handed to `next` resolves the push of the item before. */
  async *drain(): AsyncGenerator<T, void, R> {
    try {
      for (;;) {
        const next = this.#items[0];
        if (next) {
          next.done(yield next.item);
          this.#items.shift();
        } else if (this.#closed) {
          return;
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve));
          this.#wake = null;
        }
      }
    } finally {
      // A consumer that leaves early must not leave producers waiting.
      this.#closed = true;
      for (const { abandon } of this.#items.splice(0)) abandon(new Error('The consumer has left'));
    }
  }
}
