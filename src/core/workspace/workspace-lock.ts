/** Who may change a folder: one at a time, in the order in which they ask, also where one's folder lies in another's. */
import { orStopped } from '../base/stop.ts';
import { isInside } from './reach.ts';

interface Holder {
  folder: string;
  /** Resolves when it has let go. */
  done: Promise<void>;
}

export class WorkspaceLock {
  readonly #holders = new Set<Holder>();

  /** Runs work that changes something in the folder (a canonical path), alone. Rejects with the signal's reason while it waits. */
  async alone<T>(folder: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = [...this.#holders].filter((one) => isInside(one.folder, folder) || isInside(folder, one.folder));
    const { promise: done, resolve: release } = Promise.withResolvers<void>();
    const holder = { folder, done };
    this.#holders.add(holder);
    try {
      await orStopped(signal, Promise.all(before.map((one) => one.done)));
      return await work();
    } finally {
      // Who leaves the queue early still stands for those before it.
      void Promise.all(before.map((one) => one.done)).then(() => {
        this.#holders.delete(holder);
        release();
      });
    }
  }

  /** Whether somebody changes something in the folder, or waits for that. */
  isTaken(folder: string): boolean {
    return [...this.#holders].some((one) => isInside(one.folder, folder) || isInside(folder, one.folder));
  }
}
