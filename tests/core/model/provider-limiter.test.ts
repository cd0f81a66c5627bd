/** The breaker and the sequential fallback of one provider. */
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Model } from '#core/model/model.ts';
import { ModelError } from '#core/model/model.ts';
import { ProviderLimiter } from '#core/model/provider-limiter.ts';

const PAUSE_MS = 60;
const signal = new AbortController().signal;
const modelOf = (): Model => ({ provider: 'anthropic', stream: async function* () {} });
const overloaded = new ModelError('overloaded', 'It is overloaded', { retryable: true });

async function broken(most = 3) {
  const limiter = new ProviderLimiter(() => most, PAUSE_MS);
  const model = modelOf();
  const enter = (free = false) => limiter.acquire(model, signal, { free });
  (await enter())();
  return { limiter, enter };
}

test('who leads needs no permit, but waits for its turn where there is one alone', async () => {
  for (const most of [2, 1]) {
    const { enter } = await broken(most);
    const held = await Promise.all(Array.from({ length: most }, () => enter()));
    const lead = enter(true);
    const isIn = await Promise.race([lead.then(() => true), turn(false)]);
    expect(isIn).toBe(most > 1);
    for (const leave of held) leave();
    (await lead)();
  }
});

describe('the breaker', () => {
  test('after three failed requests in a row the provider is left alone, with the seconds left', async () => {
    // Who is refused keeps no permit.
    const { limiter, enter } = await broken(1);
    for (let n = 0; n < 3; n += 1) {
      (await enter())();
      limiter.requestFailed(overloaded);
    }
    await expect(enter()).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringMatching(/left alone for 1 s more.*It is overloaded/) as string,
    });
    await expect(enter(true)).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('a success in between, and failures that are not the provider’s, do not count', async () => {
    const { limiter, enter } = await broken();
    limiter.requestFailed(overloaded);
    limiter.requestFailed(overloaded);
    limiter.attemptEnded(null);
    limiter.requestFailed(overloaded);
    for (let n = 0; n < 5; n += 1)
      limiter.requestFailed(new ModelError('bad_request', 'No', { retryable: false, status: 400 }));
    limiter.requestFailed(new Error('a tool'));
    (await enter())();
  });

  test('half-open: one request tries, the others wait for what comes of it', async () => {
    const { limiter, enter } = await broken();
    for (let n = 0; n < 3; n += 1) limiter.requestFailed(overloaded);
    await sleep(PAUSE_MS + 10);
    const trial = await enter();
    let passed = false;
    const second = enter().then((leave) => {
      passed = true;
      return leave;
    });
    await sleep(5);
    expect(passed).toBe(false);
    limiter.attemptEnded(null);
    trial();
    (await second)();
  });

  test('half-open: a trial that fails begins the pause anew, for those that wait too', async () => {
    const { limiter, enter } = await broken();
    for (let n = 0; n < 3; n += 1) limiter.requestFailed(overloaded);
    await sleep(PAUSE_MS + 10);
    const trial = await enter();
    const second = enter();
    limiter.attemptEnded({ code: 'overloaded', message: 'Still' });
    trial();
    limiter.requestFailed(overloaded);
    await expect(second).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('another endpoint or key is not left alone for what the one before did', async () => {
    const { limiter, enter } = await broken();
    (await enter())();
    for (let n = 0; n < 3; n += 1) limiter.requestFailed(overloaded);
    await expect(enter()).rejects.toMatchObject({ code: 'overloaded' });
    await expect(limiter.acquire(modelOf(), signal, { free: false })).resolves.toBeTypeOf('function');
  });
});

describe('the sequential fallback', () => {
  test('after 429 or 529 one at a time, and one more after each success', async () => {
    const { limiter, enter } = await broken(3);
    const first = await enter();
    expect(limiter.limit).toBe(3);
    limiter.attemptEnded({ code: 'rate_limited', message: 'Slow down' });
    expect(limiter.limit).toBe(1);
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
    limiter.attemptEnded(null);
    expect(limiter.limit).toBe(2);
    await sleep(5);
    expect(entered).toBe(2);
    limiter.attemptEnded(null);
    expect(limiter.limit).toBe(3);
    for (const leave of await Promise.all(waiting)) leave();
  });

  test('other failures leave it as it is', async () => {
    const { limiter } = await broken(3);
    limiter.attemptEnded({ code: 'unreachable', message: 'Cut' });
    expect(limiter.limit).toBe(3);
  });
});
