// Repeating a request: what is repeated, how long it waits, and when it gives up.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MAX_RETRY_AFTER_MS, RETRY_DELAYS_MS } from '#contract/limits.ts';
import { MachineSleep } from '#core/base/machine-sleep.ts';
import { ModelError, type Model, type ModelEvent } from '#core/model/model.ts';
import { type AttemptEvent, streamWithRetry, WAKING_MS, WAKING_SILENCE_MS } from '#core/model/retry.ts';
import { requestOf, serve } from '../../support/fake-model/exchange.ts';
import { type ReplyOptions, Script, text } from '../../support/fake-model/script.ts';

interface Run {
  events: AttemptEvent[];
  waits: number[];
  error: ModelError | null;
}

/** With `random` at 0.5 the jitter is none. */
async function run(model: Model, options: Partial<Parameters<typeof streamWithRetry>[2]> = {}): Promise<Run> {
  const result: Run = { events: [], waits: [], error: null };
  const sleep = async (ms: number): Promise<void> => void result.waits.push(ms);
  const signal = options.signal ?? new AbortController().signal;
  try {
    const stream = streamWithRetry(model, requestOf(), { random: () => 0.5, sleep, ...options, signal });
    for await (const event of stream) result.events.push(event);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    result.error = error;
  }
  return result;
}

function failing(...faults: ReplyOptions[]): Script {
  const script = new Script();
  for (const fault of faults) script.step([text('half an answer', { deltas: 2 })], fault);
  return script.on({ where: () => script.unused().length === 0 }).reply([text('whole')]);
}

const kinds = ({ events }: Run): string[] =>
  events.map((event) => ('attempt' in event ? `${event.type} ${event.attempt}` : event.type));

describe('what is repeated', () => {
  test('a passing failure, until it works', async () => {
    const { server, model } = await serve(failing({ status: 529 }, { status: 500 }));
    const result = await run(model);
    expect(result.error).toBeNull();
    expect(kinds(result).filter((kind) => /\d/.test(kind))).toEqual([
      'attempt 1',
      'failed 1',
      'attempt 2',
      'failed 2',
      'attempt 3',
    ]);
    expect(result.events.at(-1)).toEqual({ type: 'end', stopReason: 'end_turn' });
    expect(server.requests).toHaveLength(3);
  });

  test('usage of an attempt that broke off is passed on before its failure', async () => {
    const { model } = await serve(failing({ cutAfter: 3, usage: { input: 900 } }));
    const result = await run(model);
    const failed = result.events.findIndex((event) => event.type === 'failed');
    const usage = result.events.slice(0, failed).find((event) => event.type === 'usage');
    expect(usage).toMatchObject({ usage: { inputTokens: 900 } });
    expect(kinds(result).slice(failed)).toEqual([
      'failed 1',
      'attempt 2',
      'start',
      'usage',
      'delta',
      'part',
      'usage',
      'end',
    ]);
  });

  test('a refused request is not', async () => {
    const { server, model } = await serve(failing({ status: 400 }));
    const result = await run(model);
    expect(result.events.at(-1)).toMatchObject({ type: 'failed', attempt: 1, delayMs: null });
    expect(result.error?.code).toBe('bad_request');
    expect(server.requests).toHaveLength(1);
  });

  test('after as many retries as there are delays the last error is thrown', async () => {
    const { server, model } = await serve(failing(...Array.from({ length: 9 }, () => ({ status: 503 }))));
    const result = await run(model);
    expect(server.requests).toHaveLength(1 + RETRY_DELAYS_MS.length);
    expect(result.waits).toEqual(RETRY_DELAYS_MS);
    expect(result.error).toMatchObject({ code: 'provider', status: 503 });
  });

  test('nothing, once the consumer has left', async () => {
    const { server, model } = await serve(failing({ cutAfter: 3 }));
    for await (const event of streamWithRetry(model, requestOf(), { signal: new AbortController().signal })) {
      if (event.type === 'failed') break;
    }
    expect(server.requests).toHaveLength(1);
  });
});

describe('how long it waits', () => {
  test.for([
    [0, 375],
    [0.999999, 625],
  ] as const)('jitter of a quarter: %d', async ([random, expected]) => {
    const { model } = await serve(failing({ status: 500 }));
    expect((await run(model, { random: () => random })).waits).toEqual([expected]);
  });

  test('as long as the provider asks', async () => {
    const { model } = await serve(failing({ status: 429, headers: { 'retry-after': '2' } }));
    const result = await run(model);
    expect(result.waits).toEqual([2000]);
    expect(result.events).toContainEqual(expect.objectContaining({ type: 'failed', delayMs: 2000 }));
  });

  test('not at all where the provider asks for too much', async () => {
    const seconds = MAX_RETRY_AFTER_MS / 1000 + 1;
    const { server, model } = await serve(failing({ status: 429, headers: { 'retry-after': String(seconds) } }));
    const result = await run(model);
    expect(result.waits).toEqual([]);
    expect(result.error).toMatchObject({
      code: 'rate_limited',
      retryable: false,
      retryAfterMs: seconds * 1000,
    });
    expect(result.error?.message).toContain(`${seconds} s`);
    expect(server.requests).toHaveLength(1);
  });
});

describe('abort', () => {
  test('ends the wait', async () => {
    const { server, model } = await serve(failing({ status: 500 }));
    const stop = new AbortController();
    const started = performance.now();
    const consume = async (): Promise<void> => {
      for await (const event of streamWithRetry(model, requestOf(), {
        signal: stop.signal,
        delays: [60_000],
      })) {
        if (event.type === 'failed') setTimeout(() => stop.abort(), 20);
      }
    };
    await expect(consume()).rejects.toMatchObject({ code: 'cancelled' });
    expect(performance.now() - started).toBeLessThan(2000);
    expect(server.requests).toHaveLength(1);
  });

  test('is never followed by another attempt', async () => {
    const { server, model } = await serve(failing({ hangAfter: 2 }));
    const stop = new AbortController();
    const running = run(model, { signal: stop.signal });
    await server.waitFor(() => true);
    stop.abort();
    const result = await running;
    expect(result.events.at(-1)).toMatchObject({ type: 'failed', delayMs: null });
    expect(result.error?.code).toBe('cancelled');
    expect(server.requests).toHaveLength(1);
  });
});

describe('after the machine was asleep', () => {
  const HOUR_MS = 3_600_000;
  const WHOLE: ModelEvent = { type: 'end', stopReason: 'end_turn' };
  const offline = new ModelError('unreachable', 'No connection', { retryable: true });
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** It has been watched since before the sleep, which no timer notices. */
  function asleep(ms = HOUR_MS): MachineSleep {
    const machine = new MachineSleep();
    machine.onWake(() => undefined);
    vi.setSystemTime(Date.now() + ms);
    return machine;
  }

  /** Each request ends so; the last one comes whole. */
  function answering(...ends: ModelError[]): Model {
    return {
      provider: 'test',
      async *stream() {
        const end = ends.shift();
        if (end) throw end;
        yield WHOLE;
      },
    };
  }

  const repeated = (attempts: number, machine: MachineSleep) =>
    run(answering(...Array.from({ length: attempts }, () => offline)), { machine, delays: [5] });

  test('what finds no network is repeated for as long as there is none yet, and does not count', async () => {
    const { error, waits } = await repeated(20, asleep());
    expect([error, new Set(waits)]).toEqual([null, new Set([2000])]);
  });

  test('without a sleep, after a short one, and after a while it counts', async () => {
    expect((await repeated(20, asleep(10_000))).waits).toEqual([5]);
    const machine = asleep();
    expect(machine.wokeWithin(1)).toBe(true);
    await vi.advanceTimersByTimeAsync(WAKING_MS + 1);
    expect((await repeated(20, machine)).error).toBe(offline);
  });

  test('what counted before counts no less, and another failure counts', async () => {
    const busy = new ModelError('overloaded', 'Busy', { retryable: true });
    const { error, waits } = await run(answering(offline, busy, offline, busy), { machine: asleep(), delays: [5] });
    expect([error, waits]).toEqual([busy, [2000, 5, 2000]]);
  });

  const REST_MS = 60_000;

  /** The first request is answered when `says` resolves, and is whole a while after that. */
  function open() {
    const says = Promise.withResolvers<void>();
    let requests = 0;
    const model: Model = {
      provider: 'test',
      async *stream(_request, signal) {
        requests += 1;
        if (requests === 1) {
          const stopped = new Promise<never>((_, reject) => {
            const stop = () => reject(new ModelError('cancelled', 'Stopped', { retryable: false }));
            signal.addEventListener('abort', stop);
          });
          await Promise.race([says.promise, stopped]);
          yield { type: 'start', responseId: 'first' };
          await Promise.race([new Promise((resolve) => setTimeout(resolve, REST_MS)), stopped]);
        }
        yield WHOLE;
      },
    };
    return { model, says, requests: () => requests };
  }

  /** The machine sleeps over an open request. */
  async function sleepOver({ model }: ReturnType<typeof open>) {
    const machine = new MachineSleep();
    const running = run(model, { machine, delays: [] });
    await vi.advanceTimersByTimeAsync(0);
    vi.setSystemTime(Date.now() + HOUR_MS);
    await vi.advanceTimersByTimeAsync(WAKING_SILENCE_MS);
    return { running };
  }

  test('a connection of before of which nothing comes is given up, and its request repeated', async () => {
    const at = open();
    const { running } = await sleepOver(at);
    await vi.advanceTimersByTimeAsync(2000);
    const { error, events } = await running;
    expect([error, at.requests()]).toEqual([null, 2]);
    expect(events[1]).toMatchObject({ type: 'failed', error: { code: 'unreachable', detail: 'asleep' } });
  });

  test('one that is alive stays, however long the rest takes', async () => {
    const at = open();
    setTimeout(() => at.says.resolve(), 20_000);
    const { running } = await sleepOver(at);
    await vi.advanceTimersByTimeAsync(REST_MS);
    const { error, events } = await running;
    expect([error, at.requests(), events.map(({ type }) => type)]).toEqual([null, 1, ['attempt', 'start', 'end']]);
  });

  test('an attempt that is over, whole, failed or left, waits for no sleep any more', async () => {
    const machine = new MachineSleep();
    let [attempts, listening] = [0, 0];
    machine.onWake = () => {
      attempts += 1;
      listening += 1;
      return () => (listening -= 1) >= 0;
    };
    await run(answering(offline, offline), { machine });
    const { signal } = new AbortController();
    for await (const event of streamWithRetry(answering(), requestOf(), { signal, machine }))
      if (event.type !== 'attempt') break;
    expect([attempts, listening]).toEqual([4, 0]);
  });
});
