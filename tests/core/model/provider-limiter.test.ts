/** The breaker and the sequential fallback of one provider. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Model } from '#core/model/model.ts';
import { ModelError } from '#core/model/model.ts';
import { Permits } from '#core/model/provider-limiter.ts';

const PAUSE_MS = 60;
const signal = new AbortController().signal;
const modelOf = (): Model => ({ provider: 'anthropic', stream: async function* () {} });
const overloaded = new ModelError('overloaded', 'It is overloaded', { retryable: true });

async function broken(most = 3) {
  const permits = new Permits(() => most, PAUSE_MS);
  const model = modelOf();
  const enter = (free = false) => permits.enter(model, signal, { free });
  (await enter())();
  return { permits, enter };
}

describe('the breaker', () => {
  test('after three failed requests in a row the provider is left alone, with the seconds left', async () => {
    const { permits, enter } = await broken();
    for (let n = 0; n < 3; n += 1) {
      (await enter())();
      permits.failed(overloaded);
    }
    await expect(enter()).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringMatching(/left alone for 1 s more.*It is overloaded/) as string,
    });
    await expect(enter(true)).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('a success in between, and failures that are not the provider’s, do not count', async () => {
    const { permits, enter } = await broken();
    permits.failed(overloaded);
    permits.failed(overloaded);
    permits.answered(null);
    permits.failed(overloaded);
    for (let n = 0; n < 5; n += 1)
      permits.failed(new ModelError('bad_request', 'No', { retryable: false, status: 400 }));
    permits.failed(new Error('a tool'));
    (await enter())();
  });

  test('half-open: one request tries, the others wait for what comes of it', async () => {
    const { permits, enter } = await broken();
    for (let n = 0; n < 3; n += 1) permits.failed(overloaded);
    await sleep(PAUSE_MS + 10);
    const trial = await enter();
    let passed = false;
    const second = enter().then((leave) => {
      passed = true;
      return leave;
    });
    await sleep(5);
    expect(passed).toBe(false);
    permits.answered(null);
    trial();
    (await second)();
  });

  test('half-open: a trial that fails begins the pause anew, for those that wait too', async () => {
    const { permits, enter } = await broken();
    for (let n = 0; n < 3; n += 1) permits.failed(overloaded);
    await sleep(PAUSE_MS + 10);
    const trial = await enter();
    const second = enter();
    permits.answered({ code: 'overloaded', message: 'Still' });
    trial();
    permits.failed(overloaded);
    await expect(second).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('another endpoint or key is not left alone for what the one before did', async () => {
    const { permits, enter } = await broken();
    (await enter())();
    for (let n = 0; n < 3; n += 1) permits.failed(overloaded);
    await expect(enter()).rejects.toMatchObject({ code: 'overloaded' });
    await expect(permits.enter(modelOf(), signal, { free: false })).resolves.toBeTypeOf('function');
  });
});

describe('the sequential fallback', () => {
  test('after 429 or 529 one at a time, and one more after each success', async () => {
    const { permits, enter } = await broken(3);
    const first = await enter();
    expect(permits.limit).toBe(3);
    permits.answered({ code: 'rate_limited', message: 'Slow down' });
    expect(permits.limit).toBe(1);
    let entered = 0;
    const waiting = [enter(), enter(), enter(true)].map((one) =>
      one.then((leave) => {
        entered += 1;
        return leave;
      }),
    );
    await sleep(5);
    expect(entered, 'the lead takes its turn too').toBe(0);
    first();
    await sleep(5);
    expect(entered).toBe(1);
    permits.answered(null);
    expect(permits.limit).toBe(2);
    await sleep(5);
    expect(entered).toBe(2);
    permits.answered(null);
    expect(permits.limit).toBe(3);
    for (const leave of await Promise.all(waiting)) leave();
  });

  test('other failures leave it as it is', async () => {
    const { permits } = await broken(3);
    permits.answered({ code: 'unreachable', message: 'Cut' });
    expect(permits.limit).toBe(3);
  });
});
