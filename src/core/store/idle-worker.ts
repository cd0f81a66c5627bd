/** Work behind the log: one step at a time, when the log is quiet, and at once where somebody waits for its result. */
import { setImmediate as turn } from 'node:timers/promises';
import { SerialQueue } from '../base/serial-queue.ts';

/** Pause after the last thing to do came in, and the longest that more of them may lengthen it, in milliseconds. */
const IDLE_MS = 2000;
const MAX_DELAY_MS = 30_000;

export class IdleWorker {
  readonly #step: () => Promise<boolean>;
  readonly #pauseMs: number;
  readonly #queue = new SerialQueue();
  #timer: NodeJS.Timeout | null = null;
  #waitingSince: number | null = null;
  #closed = false;

  /** `step` does a part of what there is to do, and says whether there was any. It may be cut off between two steps. */
  constructor(step: () => Promise<boolean>, pauseMs = IDLE_MS) {
    this.#step = step;
    this.#pauseMs = pauseMs;
  }

  /** There is something to do, soon. */
  schedule(): void {
    if (this.#closed) return;
    const now = Date.now();
    this.#waitingSince ??= now;
    if (this.#timer && now - this.#waitingSince > MAX_DELAY_MS) return;
    clearTimeout(this.#timer ?? undefined);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#waitingSince = null;
      // What could not be done now is still to do: it is tried again when more comes in, or at the next start.
      this.settled().catch(() => undefined);
    }, this.#pauseMs).unref();
  }

  /** Resolves when nothing is left to do; what is exclusive may come in between the steps. */
  async settled(): Promise<void> {
    while (!this.#closed && (await this.exclusive(this.#step))) await turn();
  }

  /** No step and no other exclusive work happens meanwhile. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.add(work);
  }

  /** Resolves when the step that is being done is done; no other follows. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer ?? undefined);
    await this.#queue.settled();
  }
}
