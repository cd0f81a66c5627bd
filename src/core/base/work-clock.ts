/** The time in which something works: it stands still while nobody does, and hardly moves while the machine sleeps. */
import { Listeners } from './listeners.ts';

const TICK_MS = 250;

export class WorkClock {
  #ms: number;
  #workers = 0;
  #last = 0;
  #timer: NodeJS.Timeout | null = null;
  readonly #ticks = new Listeners();

  /** `ms`: time worked before, in milliseconds. */
  constructor(ms = 0) {
    this.#ms = ms;
  }

  /** In milliseconds; never goes back. */
  get ms(): number {
    this.#count();
    return this.#ms;
  }

  /** True while something works. */
  get isRunning(): boolean {
    return this.#workers > 0;
  }

  /** Runs the clock until the returned function is called; overlapping work counts once. */
  work(): () => void {
    this.#count();
    this.#workers += 1;
    this.#last = performance.now();
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
    let working = true;
    return () => {
      if (!working) return;
      working = false;
      this.#count();
      this.#workers -= 1;
      if (this.#workers > 0 || !this.#timer) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
  }

  /** Calls `look` four times a second while it runs, until the returned function is called. */
  watch(look: () => void): () => void {
    return this.#ticks.listen(look);
  }

  #tick(): void {
    this.#count();
    this.#ticks.notify();
  }

  #count(): void {
    if (this.#workers === 0) return;
    const now = performance.now();
    // A process that was stopped, or a machine that slept, missed its ticks: one counts at most two intervals.
    this.#ms += Math.min(now - this.#last, 2 * TICK_MS);
    this.#last = now;
  }
}
