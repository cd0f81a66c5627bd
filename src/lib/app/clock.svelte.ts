/** The time now, in steps of a second, while anything on the screen shows it. */
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
