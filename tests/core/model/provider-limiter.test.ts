/** The concurrent requests at one provider, and the sequential fallback after it was overloaded. */
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Model } from '#core/model/model.ts';
import { ProviderLimiter } from '#core/model/provider-limiter.ts';

const signal = new AbortController().signal;
const modelOf = (): Model => ({ provider: 'anthropic', stream: async function* () {} });

async function startLimiter(most = 3) {
  const limiter = new ProviderLimiter(() => most);
  const model = modelOf();
  const enter = (free = false) => limiter.acquire(model, signal, { free });
  (await enter())();
  return { limiter, enter };
}

test('a lead needs no permit, unless only one request is allowed at a time', async () => {
  for (const most of [2, 1]) {
    const { enter } = await startLimiter(most);
    const held = await Promise.all(Array.from({ length: most }, () => enter()));
    const lead = enter(true);
    const isIn = await Promise.race([lead.then(() => true), turn(false)]);
    expect(isIn).toBe(most > 1);
    for (const leave of held) leave();
    (await lead)();
  }
});

describe('the sequential fallback', () => {
  test('allows one request after a 429, and one more after each success', async () => {
    const { limiter, enter } = await startLimiter(3);
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

  test('resets the limit for another endpoint or key', async () => {
    const { limiter } = await startLimiter(3);
    limiter.attemptEnded({ code: 'overloaded', message: 'Busy' });
    (await limiter.acquire(modelOf(), signal, { free: false }))();
    expect(limiter.limit).toBe(3);
  });

  test('does not lower the limit after other failures', async () => {
    const { limiter } = await startLimiter(3);
    limiter.attemptEnded({ code: 'unreachable', message: 'Cut' });
    expect(limiter.limit).toBe(3);
  });
});
