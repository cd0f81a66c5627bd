// Runs one request with its retries, and collects what happens.
import { ModelError, type Model } from '#core/model/model.ts';
import { RequestRetries, type RetryPorts } from '#core/model/request-retries.ts';
import { type AttemptEvent, type SendOptions, streamWithRetry } from '#core/model/retry.ts';
import { Listeners } from '#core/base/listeners.ts';
import { requestOf } from '../../support/fake-model/exchange.ts';
import { type ReplyOptions, Script, text } from '../../support/fake-model/script.ts';

export interface RetryRun {
  events: AttemptEvent[];
  waits: number[];
  error: ModelError | null;
}

/** Retries on a clock that only counts, for an endpoint that has answered before and a person who is attached. */
export function createRetries(ports: Partial<RetryPorts> = {}) {
  const waits: number[] = [];
  let passedMs = 0;
  const retries = new RequestRetries({
    clock: {
      now: () => passedMs,
      sleep: async (ms, signal) => {
        signal.throwIfAborted();
        waits.push(ms);
        passedMs += ms;
      },
    },
    hasAnswered: () => true,
    noteAnswer: () => undefined,
    onAnswer: () => () => undefined,
    isAttended: () => true,
    unattendedMs: () => 900_000,
    isOtherRunWorking: () => false,
    interrupt: () => undefined,
    interruptsOnSilence: false,
    tryNow: new Listeners(),
    // No jitter.
    random: () => 0.5,
    ...ports,
  });
  return { retries, waits };
}

export async function run(
  model: Model,
  ports: Partial<RetryPorts> = {},
  options: Partial<SendOptions> = {},
): Promise<RetryRun> {
  const { retries, waits } = createRetries(ports);
  const result: RetryRun = { events: [], waits, error: null };
  const { signal } = new AbortController();
  try {
    for await (const event of streamWithRetry(model, requestOf(), { signal, retries, ...options }))
      result.events.push(event);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    result.error = error;
  }
  return result;
}

export function failing(...faults: ReplyOptions[]): Script {
  const script = new Script();
  for (const fault of faults) script.step([text('half an answer', { deltas: 2 })], fault);
  return script.on({ where: () => script.unused().length === 0 }).reply([text('whole')]);
}

export const kinds = ({ events }: RetryRun): string[] =>
  events.map((event) => ('attempt' in event ? `${event.type} ${event.attempt}` : event.type));
