/** Background work: one step at a time, after a quiet period, or at once if a caller waits for the result. */
import { setImmediate as turn } from 'node:timers/promises';
import { SerialQueue } from '../base/serial-queue.ts';

/** Quiet period after the last `schedule`, and the longest total delay, in milliseconds. */
const IDLE_MS = 2000;
const MAX_DELAY_MS = 30_000;

export class IdleWorker {
  readonly #step: () => Promise<boolean>;
  readonly #pauseMs: number;
  readonly #queue = new SerialQueue();
  #timer: NodeJS.Timeout | null = null;
  #waitingSince: number | null = null;
  #closed = false;

  /** `step` does one part of the work and returns false when there was none. The process may die between two steps. */
  constructor(step: () => Promise<boolean>, pauseMs = IDLE_MS) {
    this.#step = step;
    this.#pauseMs = pauseMs;
  }

  /** Starts the work after the quiet period. */
  schedule(): void {
    if (this.#closed) return;
    const now = Date.now();
    this.#waitingSince ??= now;
    if (this.#timer && now - this.#waitingSince > MAX_DELAY_MS) return;
    clearTimeout(this.#timer ?? undefined);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#waitingSince = null;
      // Failed work stays queued: the next `schedule` or the next start of the program retries it.
      this.settled().catch(() => undefined);
    }, this.#pauseMs).unref();
  }

  /** Resolves when no work is left. Exclusive work may run between the steps. Rejects with the error of a step. */
  async settled(): Promise<void> {
    while (!this.#closed && (await this.exclusive(this.#step))) await turn();
  }

  /** Runs `work` while no step and no other exclusive work runs. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.add(work);
  }

  /** Resolves when the current step has ended; no other one starts. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer ?? undefined);
    await this.#queue.settled();
  }
}
