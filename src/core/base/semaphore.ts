/** A semaphore that admits in order of arrival, and whose waits a signal can end. */
import { stopOf } from './stop.ts';

export class Semaphore {
  #permits: number;
  /** Negative while a resize has left more holders than permits. */
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(permits: number) {
    this.#permits = permits;
    this.#free = permits;
  }

  /** Changes the number of permits; current holders keep theirs. */
  resize(permits: number): void {
    this.#free += permits - this.#permits;
    this.#permits = permits;
    while (this.#free > 0 && this.#waiting.length > 0) {
      this.#free -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** Whether one more would have to wait. */
  get isFull(): boolean {
    return this.#free <= 0;
  }

  /** The function that gives the permit back (once); null where none is free. */
  tryAcquire(): (() => void) | null {
    if (this.#free <= 0) return null;
    this.#free -= 1;
    return this.#release();
  }

  /** Resolves with the function that gives the permit back (once); rejects with the signal's reason. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw stopOf(signal);
    const free = this.tryAcquire();
    if (free) return free;
    await new Promise<void>((resolve, reject) => {
      const admit = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1);
        reject(stopOf(signal));
      };
      this.#waiting.push(admit);
      signal.addEventListener('abort', leave, { once: true });
    });
    return this.#release();
  }

  /** Number of acquires that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  #release(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#free < 0 ? undefined : this.#waiting.shift();
      // The permit goes straight to the next in line: nobody can slip in between.
      if (next) next();
      else this.#free += 1;
    };
  }
}
