// Repeating a request: what is repeated, how long it waits, and when it gives up.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { FIRST_ANSWER_TRIES, MAX_RETRY_DELAY_MS } from '#contract/limits.ts';
import { ModelError, type Model } from '#core/model/model.ts';
import { streamWithRetry } from '#core/model/retry.ts';
import type { RetryPorts } from '#core/model/request-retries.ts';
import { Listeners } from '#core/base/listeners.ts';
import { requestOf, serve } from '../../support/fake-model/exchange.ts';
import type { ReplyOptions } from '../../support/fake-model/script.ts';
import { createRetries, failing, kinds, run } from './retry-runs.ts';

describe('repeated requests', () => {
  test('repeats a request after passing failures until a response is complete', async () => {
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

  test('does not repeat a rejected request', async () => {
    const { server, model } = await serve(failing({ status: 400 }));
    const result = await run(model);
    expect(result.events.at(-1)).toMatchObject({ type: 'failed', attempt: 1, delayMs: null });
    expect(result.error?.code).toBe('bad_request');
    expect(server.requests).toHaveLength(1);
  });

  test('repeats every passing failure of an endpoint that has answered before', async () => {
    const { server, model } = await serve(failing(...Array.from({ length: 12 }, () => ({ status: 503 }))));
    const result = await run(model);
    expect(result.error).toBeNull();
    expect(server.requests).toHaveLength(13);
  });

  test('tries a request three times at an endpoint that never answered', async () => {
    const { server, model } = await serve(failing());
    await server.close();
    const result = await run(model, { hasAnswered: () => false });
    expect(result.error?.code).toBe('unreachable');
    expect(kinds(result).filter((kind) => kind.startsWith('attempt'))).toHaveLength(FIRST_ANSWER_TRIES);
  });

  test('tries a request three times if the endpoint asks for payment', async () => {
    const { server, model } = await serve(failing(...Array.from({ length: 9 }, () => ({ status: 402 }))));
    const result = await run(model);
    expect(result.error).toMatchObject({ code: 'provider', status: 402 });
    expect(server.requests).toHaveLength(FIRST_ANSWER_TRIES);
  });

  test('does not repeat a request after a lasting fault of the server', async () => {
    for (const message of [
      'CUDA error: out of memory',
      'Failed to parse the chat template',
      'this model does not support tools',
    ]) {
      const { server, model } = await serve(failing({ status: 500, error: { type: 'server_error', message } }));
      expect((await run(model)).error?.message).toContain(message);
      expect(server.requests).toHaveLength(1);
    }
  });

  test('does not repeat a request after the consumer has left', async () => {
    const { server, model } = await serve(failing({ cutAfter: 3 }));
    const { retries } = createRetries();
    for await (const event of streamWithRetry(model, requestOf(), { signal: new AbortController().signal, retries })) {
      if (event.type === 'failed') break;
    }
    expect(server.requests).toHaveLength(1);
  });
});

describe('wait before a retry', () => {
  const times = (count: number, fault: ReplyOptions) => failing(...Array.from({ length: count }, () => fault));

  test('doubles the wait from half a second up to half a minute', async () => {
    const { model } = await serve(times(9, { status: 500 }));
    // A long wait is taken in slices of 15 s, to look whether a person is attached.
    expect((await run(model)).waits).toEqual([
      500, 1000, 2000, 4000, 8000, 15_000, 1000, 15_000, 15_000, 15_000, 15_000, 15_000, 15_000,
    ]);
  });

  test.for([
    [0, 375],
    [0.999999, 625],
  ] as const)('varies the wait by a quarter: %d', async ([random, expected]) => {
    const { model } = await serve(failing({ status: 500 }));
    expect((await run(model, { random: () => random })).waits).toEqual([expected]);
  });

  test('waits as long as the provider asks, even an hour', async () => {
    const after = (seconds: number) => ({ status: 429, headers: { 'retry-after': String(seconds) } });
    const { model } = await serve(failing(after(2), after(3600)));
    const result = await run(model);
    const delays = result.events.flatMap((event) => (event.type === 'failed' ? [event.delayMs] : []));
    expect(delays).toEqual([2000, 3_600_000]);
    expect(result.waits.reduce((sum, ms) => sum + ms, 0)).toBe(3_602_000);
  });

  test('waits between tries if the provider repeatedly asks for no pause', async () => {
    const { model } = await serve(times(8, { status: 429, headers: { 'retry-after': '0' } }));
    const result = await run(model);
    const delays = result.events.flatMap((event) => (event.type === 'failed' ? [event.delayMs] : []));
    expect(delays).toEqual([0, 0, 0, 4000, 8000, 16_000, MAX_RETRY_DELAY_MS, MAX_RETRY_DELAY_MS]);
  });

  test('ends the wait when the person sends the request again', async () => {
    const { server, model } = await serve(failing({ status: 500 }));
    const tryNow = new Listeners();
    const started = performance.now();
    const sleep = (ms: number, signal: AbortSignal) => delay(ms * 100, undefined, { signal });
    const running = run(model, { clock: { now: () => 0, sleep }, tryNow });
    await server.waitFor(() => true);
    await vi.waitFor(() => expect(tryNow.notify()).toBe(1));
    expect((await running).error).toBeNull();
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test.for([
    ['unreachable', 2],
    ['overloaded', 1],
  ] as const)('ends the wait when another request is answered: %s', async ([code, attempts]) => {
    const listeners = new Set<() => void>();
    const onAnswer = (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    };
    const failure = new ModelError(code, 'No', { retryable: true });
    const stop = new AbortController();
    const sleep = (_ms: number, signal: AbortSignal) => delay(60_000, undefined, { signal });
    let sent = 0;
    const model: Model = {
      provider: 'test',
      async *stream() {
        sent += 1;
        if (sent === 1) throw failure;
        yield { type: 'end', stopReason: 'end_turn' };
      },
    };
    const running = run(model, { onAnswer, clock: { now: () => 0, sleep } }, { signal: stop.signal });
    await delay(10);
    for (const listener of [...listeners]) listener();
    await delay(10);
    stop.abort();
    await running;
    expect(sent).toBe(attempts);
  });

  test('an answer that breaks off ends no wait of a request whose answer broke off too', async () => {
    const listeners = new Set<() => void>();
    const broken = new ModelError('unreachable', 'The connection broke', { retryable: true });
    let sent = 0;
    const model: Model = {
      provider: 'test',
      async *stream() {
        sent += 1;
        await delay(5);
        yield { type: 'start', responseId: 'one' };
        throw broken;
      },
    };
    const stop = new AbortController();
    const ports: Partial<RetryPorts> = {
      noteAnswer: () => {
        for (const listener of [...listeners]) listener();
      },
      onAnswer: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      clock: { now: () => 0, sleep: (_ms, signal) => delay(60_000, undefined, { signal }) },
    };
    const first = run(model, ports, { signal: stop.signal });
    await delay(8);
    const second = run(model, ports, { signal: stop.signal });
    await delay(100);
    stop.abort();
    await Promise.all([first, second]);
    expect(sent).toBe(2);
  });
});

describe('without an attached person', () => {
  const createInterrupt = () => {
    const stop = new AbortController();
    return { signal: stop.signal, interrupt: vi.fn(() => stop.abort()) };
  };

  test('interrupts the work after the configured waiting time', async () => {
    const { server, model } = await serve(failing(...Array.from({ length: 99 }, () => ({ status: 503 }))));
    const { signal, interrupt } = createInterrupt();
    const result = await run(model, { isAttended: () => false, interrupt }, { signal });
    expect(result.error?.code).toBe('cancelled');
    expect(interrupt).toHaveBeenCalledTimes(1);
    const waited = result.waits.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThanOrEqual(900_000);
    expect(waited).toBeLessThan(900_000 + MAX_RETRY_DELAY_MS * 2);
    expect(server.requests.length).toBeGreaterThan(30);
  });

  test('does not interrupt the work while another run of the workflow works', async () => {
    const { model } = await serve(failing(...Array.from({ length: 50 }, () => ({ status: 503 }))));
    const { signal, interrupt } = createInterrupt();
    const result = await run(model, { isAttended: () => false, isOtherRunWorking: () => true, interrupt }, { signal });
    expect([result.error, interrupt.mock.calls]).toEqual([null, []]);
  });

  test('restarts the waiting time if a person was attached meanwhile', async () => {
    const { model } = await serve(failing(...Array.from({ length: 50 }, () => ({ status: 503 }))));
    const { signal, interrupt } = createInterrupt();
    let looks = 0;
    const isAttended = () => {
      looks += 1;
      return looks % 20 === 0;
    };
    const result = await run(model, { isAttended, interrupt }, { signal });
    expect([result.error, interrupt.mock.calls]).toEqual([null, []]);
  });
});

describe('a permit of the provider', () => {
  test('is held while an attempt runs, but not while the request waits', async () => {
    const { model } = await serve(failing({ status: 500 }, { cutAfter: 3 }));
    let held = 0;
    const admit = async () => {
      held += 1;
      return () => void (held -= 1);
    };
    const whileWaiting: number[] = [];
    const whileSending: number[] = [];
    const { retries } = createRetries({ clock: { now: () => 0, sleep: async () => void whileWaiting.push(held) } });
    const { signal } = new AbortController();
    for await (const { type } of streamWithRetry(model, requestOf(), { signal, retries, admit }))
      if (type === 'attempt') whileSending.push(held);
    expect([whileSending, whileWaiting, held]).toEqual([[1, 1, 1], [0, 0], 0]);
  });
});

describe('an abort of a request', () => {
  test('ends the wait before the next attempt', async () => {
    const { server, model } = await serve(failing({ status: 500 }));
    const stop = new AbortController();
    const started = performance.now();
    const sleep = (_ms: number, signal: AbortSignal) => delay(60_000, undefined, { signal });
    const running = run(model, { clock: { now: () => 0, sleep } }, { signal: stop.signal });
    await server.waitFor(() => true);
    setTimeout(() => stop.abort(), 20);
    expect((await running).error?.code).toBe('cancelled');
    expect(performance.now() - started).toBeLessThan(2000);
    expect(server.requests).toHaveLength(1);
  });

  test('ends a running attempt without another attempt', async () => {
    const { server, model } = await serve(failing({ hangAfter: 2 }));
    const stop = new AbortController();
    const running = run(model, {}, { signal: stop.signal });
    await server.waitFor(() => true);
    stop.abort();
    const result = await running;
    expect(result.events.at(-1)).toMatchObject({ type: 'failed', delayMs: null });
    expect(result.error?.code).toBe('cancelled');
    expect(server.requests).toHaveLength(1);
  });
});
