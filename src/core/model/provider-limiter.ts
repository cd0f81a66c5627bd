/**
 * Limits the requests at one provider: so many at a time, one at a time after it was overloaded, and none for a while after
 * several in a row have failed for good (a circuit breaker).
 */
import type { ErrorInfo } from '#contract/error.ts';
import { BREAKER_FAILURES, BREAKER_PAUSE_MS } from '#contract/limits.ts';
import { TriadError } from '../base/errors.ts';
import { type Model, ModelError } from './model.ts';
import { Semaphore } from '../base/semaphore.ts';
import { orStopped } from '../base/stop.ts';

const BUSY: ReadonlySet<ErrorInfo['code']> = new Set(['rate_limited', 'overloaded'] as const);

export class ProviderLimiter {
  readonly #configuredLimit: () => number;
  readonly #pauseMs: number;
  readonly #semaphore: Semaphore;
  /** 1 after the provider was busy; grows by one with every request that succeeds, and is infinite from the configured limit on. */
  #observedLimit = Infinity;
  #failures: { error: ErrorInfo; count: number; at: number } | null = null;
  /** The one request that is let through after a pause, to see whether the provider answers again. */
  #probe: PromiseWithResolvers<void> | null = null;
  #model: Model | null = null;

  /** `configuredLimit` is read anew each time; `pauseMs`: how long the breaker stays open, in milliseconds. */
  constructor(configuredLimit: () => number, pauseMs = BREAKER_PAUSE_MS) {
    this.#configuredLimit = configuredLimit;
    this.#pauseMs = pauseMs;
    this.#semaphore = new Semaphore(configuredLimit());
  }

  /** Concurrent requests that are allowed now. */
  get limit(): number {
    return Math.min(this.#observedLimit, this.#configuredLimit());
  }

  /**
   * Resolves with the function that releases the permit. With `free` the request needs no permit, unless only one is allowed.
   * Rejects with the signal's reason, or, while the breaker is open, at once with the code of the last failure.
   */
  async acquire(model: Model, signal: AbortSignal, { free }: { free: boolean }): Promise<() => void> {
    // Another endpoint or key: start with a clean record.
    if (model !== this.#model) this.#reset(model);
    const leave = free && this.limit > 1 ? () => undefined : await this.#takePermit(signal);
    try {
      const endProbe = await this.#passBreaker(signal);
      return () => {
        endProbe();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Requests at a time, where one more would have to wait for its turn now; null where it would not. `free`: as in `acquire`. */
  queue({ free }: { free: boolean }): number | null {
    return (free && this.limit > 1) || !this.#semaphore.isFull ? null : Math.max(1, this.limit);
  }

  /** Call after each attempt, with null for a success. */
  attemptEnded(error: ErrorInfo | null): void {
    if (error === null) {
      this.#failures = null;
      this.#observedLimit += 1;
      if (this.#observedLimit >= this.#configuredLimit()) this.#observedLimit = Infinity;
    } else {
      if (BUSY.has(error.code)) this.#observedLimit = 1;
      // A failed probe begins the pause anew, before another request can pass.
      if (this.#failures && error.code !== 'cancelled') this.#failures.at = performance.now();
    }
    this.#semaphore.resize(this.limit);
  }

  /** Call when a request failed after its retries. Only retryable errors count against the provider. */
  requestFailed(error: unknown): void {
    if (!(error instanceof ModelError)) return;
    const { code, message } = error;
    if (!error.retryable && !BUSY.has(code)) return;
    const count = (this.#failures?.count ?? 0) + 1;
    this.#failures = { error: { code, message }, count, at: performance.now() };
  }

  #takePermit(signal: AbortSignal): Promise<() => void> {
    this.#semaphore.resize(this.limit);
    return this.#semaphore.acquire(signal);
  }

  /** Waits for the probe of a half-open breaker, or becomes it; throws while the breaker is open. */
  async #passBreaker(signal: AbortSignal): Promise<() => void> {
    while (this.#failures && this.#failures.count >= BREAKER_FAILURES) {
      const { error, at } = this.#failures;
      const leftMs = at + this.#pauseMs - performance.now();
      if (leftMs > 0) {
        const seconds = Math.ceil(leftMs / 1000);
        const message = `The last ${BREAKER_FAILURES} requests failed, so the provider is left alone for ${seconds} s more. The last error: ${error.message}`;
        throw new TriadError(error.code, message);
      }
      if (!this.#probe) {
        const probe = (this.#probe = Promise.withResolvers<void>());
        return () => {
          if (this.#probe === probe) this.#probe = null;
          probe.resolve();
        };
      }
      await orStopped(signal, this.#probe.promise);
    }
    return () => undefined;
  }

  #reset(model: Model): void {
    this.#model = model;
    this.#failures = null;
    this.#observedLimit = Infinity;
  }
}
