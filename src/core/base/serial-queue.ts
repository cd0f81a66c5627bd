/** Runs tasks one at a time, in the order in which they are added; one that fails does not keep the next from running. */
import PQueue from 'p-queue';

export class SerialQueue {
  readonly #queue = new PQueue({ concurrency: 1 });

  /** Settles as the task does. The task never starts in the turn in which it is added, not even the first. */
  add<T>(task: () => Promise<T>): Promise<T> {
    return this.#queue.add(async () => {
      await Promise.resolve();
      return task();
    });
  }

  /** Resolves when all that was added before has ended. */
  settled(): Promise<void> {
    return this.add(() => Promise.resolve());
  }
}
