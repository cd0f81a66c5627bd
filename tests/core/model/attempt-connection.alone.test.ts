// The connection of an attempt: an endpoint that stays silent, and a machine that slept.
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MAX_SILENT_REPEATS, SHOW_SILENCE_MS } from '#contract/limits.ts';
import { MachineSleep } from '#core/base/machine-sleep.ts';
import { Watchdog } from '#core/base/watchdog.ts';
import { preloadAdapter } from '#core/model/adapters.ts';
import { WAKING_SILENCE_MS } from '#core/model/attempt-connection.ts';
import { ModelError, type Model, type ModelEvent } from '#core/model/model.ts';
import { type AttemptEvent, streamWithRetry } from '#core/model/retry.ts';
import { Listeners } from '#core/base/listeners.ts';
import { modelFor, PROTOCOLS, requestOf } from '../../support/fake-model/exchange.ts';
import { type Fault, startFaulty } from '../../support/fake-model/faults.ts';
import { text } from '../../support/fake-model/script.ts';
import { createRetries, kinds, run } from './retry-runs.ts';

describe('an endpoint that stays silent', () => {
  const silent: Model = {
    provider: 'test',
    async *stream(_request, signal) {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      yield { type: 'end', stopReason: 'end_turn' };
    },
  };
  beforeEach(
    () =>
      void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());
  const watch = (onSilence: () => void) => new Watchdog(300_000, onSilence);

  test('shows the silence after 30 s, and repeats the request at most twice after the inactivity limit', async () => {
    const shown: number[] = [];
    const interrupt = vi.fn();
    const attempts = new Set<number>();
    const onSilent = ({ attempt, silentMs }: { attempt: number; silentMs: number }) => {
      shown.push(silentMs);
      attempts.add(attempt);
    };
    const running = run(silent, { interrupt, interruptsOnSilence: true }, { watch, onSilent });
    await vi.advanceTimersByTimeAsync(SHOW_SILENCE_MS - 1);
    expect(shown).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(shown).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000_000);
    const result = await running;
    expect(kinds(result).filter((kind) => kind.startsWith('attempt'))).toHaveLength(1 + MAX_SILENT_REPEATS);
    expect(result.error?.code).toBe('inactive');
    expect(interrupt).toHaveBeenCalledTimes(1);
    expect([...attempts]).toEqual([1, 2, 3]);
  });

  test('repeats the request each time that the person asks', async () => {
    const tryNow = new Listeners();
    const running = run(silent, { tryNow }, { watch });
    await vi.advanceTimersByTimeAsync(SHOW_SILENCE_MS - 1);
    expect(tryNow.notify(), 'nothing waits yet').toBe(0);
    for (let n = 0; n < 5; n += 1) {
      await vi.advanceTimersByTimeAsync(SHOW_SILENCE_MS + 1);
      expect(tryNow.notify()).toBe(1);
    }
    await vi.advanceTimersByTimeAsync(2_000_000);
    expect(kinds(await running).filter((kind) => kind.startsWith('attempt'))).toHaveLength(5 + 1 + MAX_SILENT_REPEATS);
  });
});

test.for(PROTOCOLS)(
  '%s: comments in a silent stream keep the attempt alive beyond the inactivity limit',
  async (protocol) => {
    // Loading takes longer than the limit on a busy machine.
    await preloadAdapter(protocol === 'messages' ? 'anthropic' : 'openai-chat');
    const server = await startFaulty();
    const comments: Fault = {
      name: 'comments for longer than the inactivity limit',
      play: async ({ response, frames }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let n = 0; n < 20; n += 1) {
          response.write(': still here\n\n');
          await delay(50);
        }
        response.end(frames.join(''));
      },
      outcome: 'whole',
    };
    server.next([comments], [text('At last.')]);
    const watch = (onSilence: () => void) => new Watchdog(700, onSilence);
    const model = modelFor(protocol, server.url);
    const { signal } = new AbortController();
    const events: AttemptEvent[] = [];
    const { retries } = createRetries();
    for await (const event of streamWithRetry(model, requestOf({ model: 'm-1' }), { signal, retries, watch }))
      events.push(event);
    expect(events.filter(({ type }) => type === 'attempt')).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: 'end', stopReason: 'end_turn' });
  },
);

describe('after the machine was asleep', () => {
  const HOUR_MS = 3_600_000;
  const WHOLE: ModelEvent = { type: 'end', stopReason: 'end_turn' };
  const offline = new ModelError('unreachable', 'No connection', { retryable: true });
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

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
    const running = run(model, {}, { machine });
    await vi.advanceTimersByTimeAsync(0);
    vi.setSystemTime(Date.now() + HOUR_MS);
    await vi.advanceTimersByTimeAsync(WAKING_SILENCE_MS);
    return { running };
  }

  test('gives up a silent connection from before the sleep, and repeats its request', async () => {
    const at = open();
    const { running } = await sleepOver(at);
    await vi.advanceTimersByTimeAsync(2000);
    const { error, events } = await running;
    expect([error, at.requests()]).toEqual([null, 2]);
    expect(events[1]).toMatchObject({ type: 'failed', error: { code: 'unreachable', detail: 'asleep' } });
  });

  test('keeps a living connection, however long the rest takes', async () => {
    const at = open();
    setTimeout(() => at.says.resolve(), 20_000);
    const { running } = await sleepOver(at);
    await vi.advanceTimersByTimeAsync(REST_MS);
    const { error, events } = await running;
    expect([error, at.requests(), events.map(({ type }) => type)]).toEqual([null, 1, ['attempt', 'start', 'end']]);
  });

  test('ignores a sleep after the end of an attempt', async () => {
    const machine = new MachineSleep();
    let [attempts, listening] = [0, 0];
    machine.onWake = () => {
      attempts += 1;
      listening += 1;
      return () => (listening -= 1) >= 0;
    };
    await run(answering(offline, offline), {}, { machine });
    const { signal } = new AbortController();
    for await (const event of streamWithRetry(answering(), requestOf(), {
      signal,
      machine,
      retries: createRetries().retries,
    }))
      if (event.type !== 'attempt') break;
    expect([attempts, listening]).toEqual([4, 0]);
  });
});
