/** Repeats a model request whose failure may pass; the request is repeated, never the run around it. */
import { setTimeout as wait } from 'node:timers/promises';
import { MAX_RETRY_AFTER_MS, RETRY_DELAYS_MS } from '#contract/limits.ts';
import { type MachineSleep, machineSleep } from '../base/machine-sleep.ts';
import { type Model, ModelError, type ModelEvent, type ModelRequest } from './model.ts';

/** `attempt` counts from 1; `delayMs` is the wait before the next attempt, null when there will be none. */
export type AttemptEvent =
  | { type: 'attempt'; attempt: number }
  | ModelEvent
  | { type: 'failed'; attempt: number; error: ModelError; delayMs: number | null };

export interface RetryOptions {
  signal: AbortSignal;
  /** Waits before the second attempt, the third and so on; as many retries as there are entries. */
  delays?: readonly number[];
  /** Resolves after the time, rejects when the signal aborts. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 up to 1, for the jitter. */
  random?: () => number;
  machine?: MachineSleep;
}

/** After the machine woke up it has no network for a while: so long nothing that finds none counts, in milliseconds. */
export const WAKING_MS = 120_000;
const WAKING_DELAY_MS = 2000;
/** The detail of an error: the request was sent, and the machine slept over its answer. */
export const ASLEEP = 'asleep';
/** A connection of before the sleep of which nothing comes for so long is none any more. */
export const WAKING_SILENCE_MS = 30_000;

/**
 * Yields `attempt` before each attempt, then everything that it streamed, and `failed` if it did not come whole.
 * Usage events of failed attempts are passed on, so that every token can be counted. Throws the last error when
 * it gives up. What finds no network after the machine was asleep is repeated without counting. A consumer that wants no
 * repeat, because it acted upon the attempt or is at a bound, breaks out at its `failed`.
 */
export async function* streamWithRetry(
  model: Model,
  request: ModelRequest,
  {
    signal,
    delays = RETRY_DELAYS_MS,
    sleep = abortableWait,
    random = Math.random,
    machine = machineSleep,
  }: RetryOptions,
): AsyncGenerator<AttemptEvent> {
  const waits = delays.values();
  for (let attempt = 1; ; attempt++) {
    yield { type: 'attempt', attempt };
    let failure: ModelError;
    const connection = new WakingConnection(signal, machine);
    try {
      for await (const event of model.stream(request, connection.signal)) {
        connection.heard();
        yield event;
      }
      return;
    } catch (thrown) {
      const error = connection.failure(thrown);
      if (!(error instanceof ModelError)) throw error;
      failure = finalIfTooLong(error);
    } finally {
      connection.end();
    }
    const isWaking = failure.code === 'unreachable' && machine.wokeWithin(WAKING_MS);
    const base = isWaking ? WAKING_DELAY_MS : waits.next().value;
    const again = failure.retryable && base !== undefined && !signal.aborted;
    const delayMs = again ? (failure.retryAfterMs ?? Math.round(base * (0.75 + random() * 0.5))) : null;
    yield { type: 'failed', attempt, error: failure, delayMs };
    if (delayMs === null) throw failure;
    try {
      await sleep(delayMs, signal);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      throw new ModelError('cancelled', 'The request was stopped', {
        retryable: false,
        cause: signal.reason,
      });
    }
  }
}

/** The connection of one attempt, which breaks where the machine was asleep meanwhile and nothing comes of it any more. */
class WakingConnection {
  /** For the attempt. */
  readonly signal: AbortSignal;
  readonly #stop: AbortSignal;
  readonly #dead = new AbortController();
  readonly #forget: () => void;
  #silence: NodeJS.Timeout | undefined;

  constructor(stop: AbortSignal, machine: MachineSleep) {
    this.#stop = stop;
    this.signal = AbortSignal.any([stop, this.#dead.signal]);
    this.#forget = machine.onWake(() => {
      clearTimeout(this.#silence);
      this.#silence = setTimeout(() => this.#dead.abort(), WAKING_SILENCE_MS).unref();
    });
  }

  /** Something came of it. */
  heard(): void {
    clearTimeout(this.#silence);
  }

  /** What the attempt failed by: where it broke here, that says so. */
  failure(thrown: unknown): unknown {
    if (!this.#dead.signal.aborted || this.#stop.aborted) return thrown;
    const message = 'The connection did not outlive the sleep of this machine';
    return new ModelError('unreachable', message, { retryable: true, cause: thrown, detail: ASLEEP });
  }

  end(): void {
    clearTimeout(this.#silence);
    this.#forget();
  }
}

/** Makes an error final where the provider asks to wait for longer than `MAX_RETRY_AFTER_MS`. */
function finalIfTooLong(error: ModelError): ModelError {
  if (!error.retryable || error.retryAfterMs === null || error.retryAfterMs <= MAX_RETRY_AFTER_MS) return error;
  const seconds = Math.ceil(error.retryAfterMs / 1000);
  const limit = MAX_RETRY_AFTER_MS / 1000;
  const message = `${error.message} (it asks to wait ${seconds} s, and only up to ${limit} s are waited for)`;
  return new ModelError(error.code, message, {
    retryable: false,
    retryAfterMs: error.retryAfterMs,
    status: error.status,
    cause: error,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
  });
}

async function abortableWait(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal });
}
