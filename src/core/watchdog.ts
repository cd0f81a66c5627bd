/** Stops a run that went silent: fed by its stream and its tools, on hold while it waits for its turn or for a person. */

export class Watchdog {
  readonly #limitMs: number;
  readonly #onSilence: () => void;
  #lastSign = performance.now();
  #holds = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(limitMs: number, onSilence: () => void) {
    this.#limitMs = limitMs;
    this.#onSilence = onSilence;
    this.#arm(limitMs);
  }

  /** A sign of life; cheap enough for every token. */
  feed(): void {
    this.#lastSign = performance.now();
  }

  /** No time counts until the returned function is called. */
  hold(): () => void {
    let held = true;
    this.#holds += 1;
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      this.feed();
    };
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #arm(delayMs: number): void {
    this.#timer = setTimeout(
      () => {
        if (this.#holds > 0) return this.#arm(this.#limitMs);
        const silentMs = performance.now() - this.#lastSign;
        if (silentMs < this.#limitMs) return this.#arm(this.#limitMs - silentMs);
        this.#timer = null;
        this.#onSilence();
      },
      Math.max(1, delayMs),
    );
    this.#timer.unref();
  }
}
