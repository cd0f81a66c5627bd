/** Whoever types when a question comes does not answer it, however long it goes on; a deliberate answer waits for nothing. */
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { discardTyped } from '#hosts/cli/terminal/discard-typed.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** What is typed comes at the next turn of the program. */
const arrives = () => new Promise((resolve) => setImmediate(resolve));

async function discarding() {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => raw.push(on) });
  const controller = new AbortController();
  const onInterrupt = vi.fn();
  let state = 'typing';
  const done = discardTyped(input, new PassThrough(), controller.signal, onInterrupt).then(
    () => (state = 'quiet'),
    () => (state = 'closed'),
  );
  await arrives();
  const passes = async (ms: number) => {
    vi.advanceTimersByTime(ms);
    await arrives();
    return state;
  };
  const types = async (text: string) => {
    input.write(text);
    await arrives();
  };
  return { input, raw, controller, onInterrupt, done, passes, types };
}

test('asks at once if nothing is typed', async () => {
  const { raw, passes } = await discarding();
  expect(await passes(30)).toBe('quiet');
  expect(raw).toEqual([true, false]);
});

test('each key restarts the wait, and no typed key reaches the answer', async () => {
  const { input, passes, types } = await discarding();
  for (let n = 0; n < 20; n += 1) {
    await types('y\r');
    expect(await passes(299)).toBe('typing');
  }
  expect(await passes(1)).toBe('quiet');
  expect(input.read()).toBeNull();
});

test('Ctrl-C interrupts the wait, and a closed question ends it', async () => {
  const { raw, controller, onInterrupt, done, types } = await discarding();
  await types('\u0003');
  expect(onInterrupt).toHaveBeenCalledOnce();
  controller.abort();
  expect(await done).toBe('closed');
  expect(raw).toEqual([true, false]);
});
