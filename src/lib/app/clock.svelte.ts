/** The current time (`Date.now()`), updated every second while something on the screen reads it. */
import { createSubscriber } from 'svelte/reactivity';

const STEP_MS = 1000;

export class Clock {
  readonly #subscribe = createSubscriber((update) => {
    const timer = setInterval(update, STEP_MS);
    return () => clearInterval(timer);
  });

  get now(): number {
    this.#subscribe();
    return Date.now();
  }
}
