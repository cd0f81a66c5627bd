/**
 * Requests at one provider: only so many at a time, one at a time after it asked for less, and none for a while after
 * several in a row have failed for good.
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
  /** How many it can take as far as is known; grows again with every request that succeeds. */
  #observedLimit = Infinity;
  #failures: { error: ErrorInfo; count: number; at: number } | null = null;
  /** The one request that tries whether it answers again. */
  #probe: PromiseWithResolvers<void> | null = null;
  #model: Model | null = null;

  /** `configuredLimit`: what is set, read anew each time. */
  constructor(configuredLimit: () => number, pauseMs = BREAKER_PAUSE_MS) {
    this.#configuredLimit = configuredLimit;
    this.#pauseMs = pauseMs;
    this.#semaphore = new Semaphore(configuredLimit());
  }

  /** How many requests can run at the same time now. */
  get limit(): number {
    return Math.min(this.#observedLimit, this.#configuredLimit());
  }

  /**
   * Resolves with the function that ends the request's turn. With `free` it takes no permit, unless there is one alone.
   * Rejects at once while the provider is left alone.
   */
  async acquire(model: Model, signal: AbortSignal, { free }: { free: boolean }): Promise<() => void> {
    // Another endpoint or key: what is known of the one before says nothing about it.
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

  /** What came of one attempt. */
  attemptEnded(error: ErrorInfo | null): void {
    if (error === null) {
      this.#failures = null;
      this.#observedLimit += 1;
      if (this.#observedLimit >= this.#configuredLimit()) this.#observedLimit = Infinity;
    } else {
      if (BUSY.has(error.code)) this.#observedLimit = 1;
      // A trial that fails begins the pause anew before the next one can slip in.
      if (this.#failures && error.code !== 'cancelled') this.#failures.at = performance.now();
    }
    this.#semaphore.resize(this.limit);
  }

  /** A request failed for good. Only what may pass with time speaks against the provider. */
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

  /** Open, half-open or closed; where another request tries already, its result is awaited. */
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
