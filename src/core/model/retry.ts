/** Sends a model request until an attempt comes whole; the request is repeated, never the run around it. */
import { type MachineSleep, machineSleep } from '../base/machine-sleep.ts';
import { AttemptConnection, type ConnectionOptions } from './attempt-connection.ts';
import { type Model, ModelError, type ModelEvent, type ModelRequest } from './model.ts';
import type { RequestRetries } from './request-retries.ts';

/** `attempt` counts from 1; `delayMs` is the wait before the next attempt, null when there is none. */
export type AttemptEvent =
  | { type: 'attempt'; attempt: number }
  | ModelEvent
  | { type: 'failed'; attempt: number; error: ModelError; delayMs: number | null };

export interface SendOptions extends Pick<ConnectionOptions, 'watch'> {
  signal: AbortSignal;
  retries: RequestRetries;
  /** Waits for a permit of the provider before each attempt, and resolves with the function that releases it. */
  admit?: (signal: AbortSignal) => Promise<() => void>;
  machine?: MachineSleep;
  /** Called while an attempt gets no sign of life, each time with the length of the silence. */
  onSilent?: (silence: { attempt: number; silentMs: number }) => void;
}

/**
 * Yields `attempt` before each attempt, then everything that it streamed, and `failed` if it did not come whole.
 * Usage events of failed attempts are passed on, so that every token can be counted. Throws the last error when there is
 * no next attempt. A consumer that wants no repeat breaks out at `failed`.
 */
export async function* streamWithRetry(
  model: Model,
  request: ModelRequest,
  { signal, retries, admit, machine = machineSleep, watch, onSilent }: SendOptions,
): AsyncGenerator<AttemptEvent> {
  for (let attempt = 1; ; attempt++) {
    const release = await admit?.(signal);
    let failure: ModelError;
    let connection: AttemptConnection | null = null;
    try {
      yield { type: 'attempt', attempt };
      connection = new AttemptConnection(signal, {
        machine,
        tryNow: retries.tryNow,
        watch,
        onSilent: (silentMs) => onSilent?.({ attempt, silentMs }),
      });
      const onSign = connection.feed.bind(connection);
      for await (const event of model.stream(request, connection.signal, onSign)) {
        onSign();
        retries.answered();
        yield event;
      }
      return;
    } catch (thrown) {
      const error = connection?.failure(thrown) ?? thrown;
      if (!(error instanceof ModelError)) throw error;
      failure = error;
    } finally {
      connection?.end();
      // A request that waits takes no turn from others.
      release?.();
    }
    const delayMs = signal.aborted ? null : retries.next(failure);
    yield { type: 'failed', attempt, error: failure, delayMs };
    if (delayMs === null) throw failure;
    await retries.wait(delayMs, failure, signal);
  }
}
