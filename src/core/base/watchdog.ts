/** Stops a run that went silent: fed by its stream and its tools, on hold while it waits for its turn or for a person. */
import { WorkClock } from './work-clock.ts';

export class Watchdog {
  readonly #limitMs: number;
  readonly #onSilence: () => void;
  readonly #own = new WorkClock();
  /** Clocks that run while it is not on hold; other watchdogs of the same run may drive them too. */
  readonly clocks: readonly WorkClock[];
  #lastSign = 0;
  #holds = 0;
  #rest: (() => void)[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(limitMs: number, onSilence: () => void, clocks: readonly WorkClock[] = []) {
    this.#limitMs = limitMs;
    this.#onSilence = onSilence;
    this.clocks = clocks;
    this.#work();
    this.#arm(limitMs);
  }

  /** A sign of life; cheap enough for every token. */
  feed(): void {
    this.#lastSign = this.#own.ms;
  }

  /** No time counts until the returned function is called. */
  hold(): () => void {
    let held = true;
    this.#holds += 1;
    this.#pause();
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      if (this.#holds === 0 && this.#timer) this.#work();
      this.feed();
    };
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#pause();
  }

  #work(): void {
    this.#rest = [this.#own, ...this.clocks].map((clock) => clock.work());
  }

  #pause(): void {
    for (const rest of this.#rest.splice(0)) rest();
  }

  #arm(delayMs: number): void {
    this.#timer = setTimeout(
      () => {
        if (this.#holds > 0) return this.#arm(this.#limitMs);
        const silentMs = this.#own.ms - this.#lastSign;
        if (silentMs < this.#limitMs) return this.#arm(this.#limitMs - silentMs);
        this.stop();
        this.#onSilence();
      },
      Math.max(1, delayMs),
    );
    this.#timer.unref();
  }
}
