/** The current time (`Date.now()`), updated every second, or every minute, while something on the screen reads it. */
import { createSubscriber } from 'svelte/reactivity';

const every = (ms: number) =>
  createSubscriber((update) => {
    const timer = setInterval(update, ms);
    return () => clearInterval(timer);
  });

export class Clock {
  readonly #eachSecond = every(1000);
  readonly #eachMinute = every(60_000);

  get now(): number {
    this.#eachSecond();
    return Date.now();
  }

  /** For what is told by the day. */
  get minute(): number {
    this.#eachMinute();
    return Date.now();
  }
}
