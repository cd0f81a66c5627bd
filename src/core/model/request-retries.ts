/** Decides when a failed request is sent again, and waits until then. */
import { setTimeout as delay } from 'node:timers/promises';
import { FIRST_ANSWER_TRIES, MAX_RETRY_DELAY_MS, MAX_SILENT_REPEATS, RETRY_DELAY_MS } from '#contract/limits.ts';
import { cancelledError } from './request-failure.ts';
import { type ModelError, TRIED_NOW } from './model.ts';
import type { Listeners } from '../base/listeners.ts';

/** Time as the waits see it. */
export interface RetryClock {
  /** Milliseconds from a fixed point; never goes back. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: RetryClock = {
  now: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

/** Functions that the retries of a request share with all requests at its provider. */
export interface ProviderRetryPorts {
  clock: RetryClock;
  /** Returns whether the endpoint has answered this installation before. */
  hasAnswered(): boolean;
  /** Records that the endpoint answers; it ends the waits of other requests to it. */
  noteAnswer(): void;
  /** Calls back when another request gets an answer of the endpoint, until the returned function is called. */
  onAnswer(listener: () => void): () => void;
  /** Returns whether a client is attached whose person could stop the wait. */
  isAttended(): boolean;
  /** Longest wait without such a client, in milliseconds. */
  unattendedMs(): number;
}

export interface RetryPorts extends ProviderRetryPorts {
  /** Returns whether another run of the workflow works meanwhile. */
  isOtherRunWorking(): boolean;
  /** Longest pause that the endpoint may ask for, in milliseconds; after a longer one the request fails. Left out: any. */
  maxPauseMs?: number;
  /** Ends the work as interrupted, so that it can be resumed, and aborts the signal of the request. */
  interrupt(failure: ModelError): void;
  /** True interrupts the work if the endpoint stays silent. False fails the request with `inactive`. */
  interruptsOnSilence: boolean;
  /** Notified when the person sends the waiting requests of the workflow again. */
  tryNow: Listeners;
  /** From 0 up to 1, for the jitter. */
  random?: () => number;
}

/** Longest time between two checks for an attached client, in milliseconds. */
const LOOK_MS = 15_000;

/** The retries of one request. */
export class RequestRetries {
  readonly #ports: RetryPorts;
  #tries = 0;
  /** True after the endpoint has started to answer the newest attempt. */
  #isAnswered = false;
  #silences = 0;
  /** Time since which no client is attached; null while one is. */
  #aloneSince: number | null = null;

  constructor(ports: RetryPorts) {
    this.#ports = ports;
  }

  /** Notified when the person sends the request again. */
  get tryNow(): Listeners {
    return this.#ports.tryNow;
  }

  /** Call when the endpoint answers, once or more. */
  answered(): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#ports.noteAnswer();
  }

  /**
   * Returns the milliseconds until the next attempt, or null where there is none. An endpoint that has never answered is
   * tried three times. An endpoint that has answered before is tried until it answers again.
   */
  next(failure: ModelError): number | null {
    if (failure.status !== null) this.answered();
    if (!failure.retryable) return null;
    if (failure.detail === TRIED_NOW) return 0;
    if (failure.code === 'inactive') {
      this.#silences += 1;
      if (this.#silences <= MAX_SILENT_REPEATS) return 0;
      if (this.#ports.interruptsOnSilence) this.#ports.interrupt(failure);
      return null;
    }
    this.#tries += 1;
    const maxTries = failure.maxTries ?? (this.#ports.hasAnswered() ? Infinity : FIRST_ANSWER_TRIES);
    if (this.#tries >= maxTries) return null;
    const asked = failure.retryAfterMs;
    if (asked !== null && asked > (this.#ports.maxPauseMs ?? Infinity)) return null;
    // An endpoint that asks for no pause at all would be sent requests without end.
    if (asked !== null) return this.#tries <= FIRST_ANSWER_TRIES ? asked : Math.max(asked, this.#backoff());
    return this.#backoff();
  }

  /**
   * Resolves when the request is to be sent again: after `delayMs`, when the person asks for it, or when an endpoint that
   * was not reached answers another request. Without an attached client it interrupts the work after the time of the settings,
   * unless another run of the workflow works. Rejects with a `ModelError` (`cancelled`) when the signal aborts.
   */
  async wait(delayMs: number, failure: ModelError, signal: AbortSignal): Promise<void> {
    const early = new AbortController();
    const end = (): void => early.abort();
    const forget = [this.#ports.tryNow.listen(end)];
    // Requests whose answers break off would end the waits of each other, and none would ever pause.
    if (failure.code === 'unreachable' && !this.#isAnswered) forget.push(this.#ports.onAnswer(end));
    this.#isAnswered = false;
    const either = AbortSignal.any([signal, early.signal]);
    try {
      for (let left = delayMs; !early.signal.aborted;) {
        if (this.#isAbandoned()) this.#ports.interrupt(failure);
        if (signal.aborted) throw cancelledError(signal);
        if (left <= 0) return;
        const slice = Math.min(left, LOOK_MS);
        await this.#ports.clock.sleep(slice, either).catch(() => undefined);
        left -= slice;
      }
    } finally {
      for (const each of forget) each();
    }
    if (signal.aborted) throw cancelledError(signal);
  }

  #backoff(): number {
    const { random = Math.random } = this.#ports;
    const base = Math.min(RETRY_DELAY_MS * 2 ** (this.#tries - 1), MAX_RETRY_DELAY_MS);
    return Math.round(base * (0.75 + random() * 0.5));
  }

  #isAbandoned(): boolean {
    const ports = this.#ports;
    if (ports.isAttended()) {
      this.#aloneSince = null;
      return false;
    }
    const now = ports.clock.now();
    this.#aloneSince ??= now;
    return now - this.#aloneSince >= ports.unattendedMs() && !ports.isOtherRunWorking();
  }
}
