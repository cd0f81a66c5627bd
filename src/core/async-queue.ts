/** A queue between concurrent producers and one consumer: a push resolves when the consumer has dealt with the item. */

interface Waiting<T> {
  item: T;
  done: () => void;
}

export class AsyncQueue<T> {
  #items: Waiting<T>[] = [];
  #wake: (() => void) | null = null;
  #closed = false;

  /** Resolves once the consumer came back for the next item. Items pushed after the end are dealt with by nobody. */
  push(item: T): Promise<void> {
    return new Promise((done) => {
      if (this.#closed) return done();
      this.#items.push({ item, done });
      this.#wake?.();
    });
  }

  /** No more items: the consumer ends when the queue is empty. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *drain(): AsyncGenerator<T, void> {
    try {
      for (;;) {
        const next = this.#items.shift();
        if (next) {
          yield next.item;
          next.done();
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
      for (const { done } of this.#items.splice(0)) done();
    }
  }
}
