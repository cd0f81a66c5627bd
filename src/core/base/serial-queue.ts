/** Runs tasks one at a time, in the order in which they are added; one that fails does not keep the next from running. */

export class SerialQueue {
  /** Settles when all that was added so far has ended; never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  /** Settles as the task does. The task never starts in the turn in which it is added, not even the first. */
  add<T>(task: () => Promise<T>): Promise<T> {
    const ended = this.#last.then(task);
    this.#last = ended.catch(() => undefined);
    return ended;
  }

  /** Resolves when all that was added before has ended. */
  settled(): Promise<void> {
    return this.add(() => Promise.resolve());
  }
}
