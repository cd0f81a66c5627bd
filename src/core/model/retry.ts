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
 * it gives up. What finds no network after the machine was asleep is repeated without counting. A consumer that wants no repeat, because it acted upon the attempt or is at a bound, breaks out at its `failed`.
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
  for (let attempt = 1, counted = 0; ; attempt++) {
    yield { type: 'attempt', attempt };
    let failure: ModelError;
    try {
      yield* awakeStream(model, request, { signal, machine });
      return;
    } catch (thrown) {
      if (!(thrown instanceof ModelError)) throw thrown;
      failure = finalIfTooLong(thrown);
    }
    const isWaking = failure.code === 'unreachable' && machine.wokeWithin(WAKING_MS);
    const base = isWaking ? WAKING_DELAY_MS : delays[counted++];
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

/** The stream of one attempt, which breaks where the machine was asleep meanwhile and nothing comes of it any more. */
async function* awakeStream(
  model: Model,
  request: ModelRequest,
  { signal, machine }: { signal: AbortSignal; machine: MachineSleep },
): AsyncGenerator<ModelEvent> {
  const dead = new AbortController();
  let silence: NodeJS.Timeout | undefined;
  const forget = machine.onWake(() => {
    clearTimeout(silence);
    silence = setTimeout(() => dead.abort(), WAKING_SILENCE_MS).unref();
  });
  try {
    for await (const event of model.stream(request, AbortSignal.any([signal, dead.signal]))) {
      clearTimeout(silence);
      yield event;
    }
  } catch (thrown) {
    if (!dead.signal.aborted || signal.aborted) throw thrown;
    const message = 'The connection did not outlive the sleep of this machine';
    throw new ModelError('unreachable', message, { retryable: true, cause: thrown, detail: ASLEEP });
  } finally {
    clearTimeout(silence);
    forget();
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
