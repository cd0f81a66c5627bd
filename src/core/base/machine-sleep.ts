/** Notices that the machine was asleep, or this process stopped: its ticks stayed away, by the clock on the wall. */

import { Listeners } from './listeners.ts';

const TICK_MS = 2000;
/** A busy machine is late by less. */
const SLEPT_MS = 20_000;

export class MachineSleep {
  readonly #wakes = new Listeners();
  #timer: NodeJS.Timeout | null = null;
  #last = 0;
  /** By the same clock, in milliseconds. */
  #woke = -Infinity;

  /** Calls back once it is awake again, until the returned function is called. Looks from the first call on, for good. */
  onWake(listener: () => void): () => void {
    this.#start();
    return this.#wakes.listen(listener);
  }

  /** Whether it woke up in the last `ms`. */
  wokeWithin(ms: number): boolean {
    this.#look();
    return Date.now() - this.#woke < ms;
  }

  #start(): void {
    if (this.#timer) return;
    this.#last = Date.now();
    this.#timer = setInterval(() => this.#look(), TICK_MS).unref();
  }

  #look(): void {
    if (!this.#timer) return;
    const now = Date.now();
    const slept = now - this.#last > TICK_MS + SLEPT_MS;
    this.#last = now;
    if (!slept) return;
    this.#woke = now;
    this.#wakes.notify();
  }
}

/** Of this process. */
export const machineSleep = new MachineSleep();
