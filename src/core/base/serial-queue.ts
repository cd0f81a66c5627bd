/** Runs tasks one at a time, in the order in which they are added. */
import PQueue from 'p-queue';

export class SerialQueue {
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #stopsAtFailure: boolean;
  /** Rejected once a failure has stopped the queue. */
  #open: Promise<unknown> = Promise.resolve();

  /** `stopsAtFailure`: what is behind a task that failed never starts, and is rejected with the same error. */
  constructor({ stopsAtFailure = false } = {}) {
    this.#stopsAtFailure = stopsAtFailure;
  }

  /** Settles as the task does. The task never starts in the turn in which it is added, not even the first. */
  add<T>(task: () => Promise<T>): Promise<T> {
    return this.#queue.add(async () => {
      await this.#open;
      const done = task();
      if (this.#stopsAtFailure) this.#open = done;
      return done;
    });
  }

  /** Resolves when all that was added before has ended; rejects where a failure has stopped the queue. */
  settled(): Promise<void> {
    return this.add(() => Promise.resolve());
  }
}
