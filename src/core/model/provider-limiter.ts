/** Limits the concurrent requests at one provider: to a configured number, and to one after the provider was overloaded. */
import type { ErrorInfo } from '#contract/error.ts';
import type { Model } from './model.ts';
import { Listeners } from '../base/listeners.ts';
import { Semaphore } from '../base/semaphore.ts';

const BUSY: ReadonlySet<ErrorInfo['code']> = new Set(['rate_limited', 'overloaded'] as const);

export class ProviderLimiter {
  readonly #configuredLimit: () => number;
  readonly #semaphore: Semaphore;
  /** Notified when a request gets an answer. */
  readonly answers = new Listeners();
  /** 1 after the provider was busy; grows by one with every request that succeeds, and is infinite from the configured limit on. */
  #observedLimit = Infinity;
  #model: Model | null = null;

  /** `configuredLimit` is read anew each time. */
  constructor(configuredLimit: () => number) {
    this.#configuredLimit = configuredLimit;
    this.#semaphore = new Semaphore(configuredLimit());
  }

  /** Concurrent requests that are allowed now. */
  get limit(): number {
    return Math.min(this.#observedLimit, this.#configuredLimit());
  }

  /**
   * Resolves with the function that releases the permit. With `free` the request needs no permit, unless only one is allowed.
   * Rejects with the signal's reason.
   */
  async acquire(model: Model, signal: AbortSignal, { free }: { free: boolean }): Promise<() => void> {
    // Another endpoint or key: start with a clean record.
    if (model !== this.#model) this.#observedLimit = Infinity;
    this.#model = model;
    if (free && this.limit > 1) return () => undefined;
    this.#semaphore.resize(this.limit);
    return this.#semaphore.acquire(signal);
  }

  /** Requests at a time, where one more would have to wait for its turn now; null where it would not. `free`: as in `acquire`. */
  queue({ free }: { free: boolean }): number | null {
    return (free && this.limit > 1) || !this.#semaphore.isFull ? null : Math.max(1, this.limit);
  }

  /** Call after each attempt, with null for a success. */
  attemptEnded(error: ErrorInfo | null): void {
    if (error === null) {
      this.#observedLimit += 1;
      if (this.#observedLimit >= this.#configuredLimit()) this.#observedLimit = Infinity;
    } else if (BUSY.has(error.code)) this.#observedLimit = 1;
    this.#semaphore.resize(this.limit);
  }
}
