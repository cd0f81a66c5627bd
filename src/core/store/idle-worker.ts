/** Background work: one step at a time, after a quiet period, where much waits beside other work, or at once if a caller waits for the result. */
import { setImmediate as turn, setTimeout as rest } from 'node:timers/promises';
import { SerialQueue } from '../base/serial-queue.ts';

/** Quiet period after the last `schedule`, and the longest total delay, in milliseconds. */
const IDLE_MS = 2000;
const MAX_DELAY_MS = 30_000;
/** Pieces that wait at which some are done although nothing is quiet: half of the time, and more of it the more wait. */
const MANY = 64;

export class IdleWorker {
  readonly #step: () => Promise<number>;
  readonly #pauseMs: number;
  readonly #queue = new SerialQueue();
  #timer: NodeJS.Timeout | null = null;
  #waitingSince: number | null = null;
  /** Pieces scheduled and not done by a step; a caller's exclusive work may have done them. */
  #waiting = 0;
  #relieving = false;
  #closed = false;

  /** `step` does some pieces of the work and returns their number, 0 when there were none. The process may die between two steps. */
  constructor(step: () => Promise<number>, pauseMs = IDLE_MS) {
    this.#step = async () => {
      const done = await step();
      this.#waiting = done === 0 ? 0 : Math.max(0, this.#waiting - done);
      return done;
    };
    this.#pauseMs = pauseMs;
  }

  /** There are so many pieces more: starts the work after the quiet period. */
  schedule(pieces = 1): void {
    if (this.#closed) return;
    this.#waiting += pieces;
    if (this.#waiting >= MANY) void this.#relieve();
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
    while (!this.#closed && (await this.exclusive(this.#step)) > 0) await turn();
  }

  /** Keeps what waits within bounds where nothing is ever quiet, so that nobody has to wait for all of it. */
  async #relieve(): Promise<void> {
    if (this.#relieving) return;
    this.#relieving = true;
    try {
      while (!this.#closed && this.#waiting >= MANY) {
        const start = performance.now();
        await this.exclusive(this.#step);
        this.#waitingSince = Date.now();
        await rest(((performance.now() - start) * MANY) / Math.max(MANY, this.#waiting), undefined, { ref: false });
      }
    } catch {
      // As after the quiet period; tried again when as many more wait.
      this.#waiting = 0;
    } finally {
      this.#relieving = false;
    }
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
