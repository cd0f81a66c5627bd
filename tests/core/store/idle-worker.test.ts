/** Background work beside a flood: what waits stays within bounds, and some of the time is left to others. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { IdleWorker } from '#core/store/idle-worker.ts';
import { eventually } from '../../support/eventually.ts';
import { Conversation } from './finished.ts';
import { openOn } from './support.ts';

const NEVER_QUIET_MS = 60_000;
const BATCH = 32;
const STEP_MS = 10;

function queue() {
  const steps: { from: number; to: number; left: number }[] = [];
  const state = { left: 0, steps };
  const worker = new IdleWorker(async () => {
    const from = performance.now();
    await wait(STEP_MS);
    const done = Math.min(BATCH, state.left);
    state.left -= done;
    steps.push({ from, to: performance.now(), left: state.left });
    return done;
  }, NEVER_QUIET_MS);
  onTestFinished(() => worker.close());
  const add = (count: number) => {
    for (let piece = 0; piece < count; piece += 1) {
      state.left += 1;
      worker.schedule();
    }
  };
  return { add, state, worker };
}

test('a short queue waits for a quiet period, and a long queue gets a growing share of the time', async () => {
  const { add, state } = queue();
  add(63);
  await wait(5 * STEP_MS);
  expect(state.left).toBe(63);
  add(137);
  await eventually(() => expect(state.left).toBeLessThan(64));
  expect(state.left, 'the last ones wait again').toBeGreaterThan(0);
  for (const [index, { from, to, left }] of state.steps.entries()) {
    const next = state.steps[index + 1];
    // A timer counts whole milliseconds, and so does the clock that it starts from.
    if (next) expect(next.from - to).toBeGreaterThan(((to - from) * 64) / Math.max(64, left) - 2);
  }
});

test('retries a failed step without a quiet period when another 64 items are queued', async () => {
  let tries = 0;
  const worker = new IdleWorker(() => Promise.reject(new Error(`try ${++tries}`)), NEVER_QUIET_MS);
  onTestFinished(() => worker.close());
  for (const expected of [1, 2]) {
    for (let piece = 0; piece < 64; piece += 1) worker.schedule();
    await eventually(() => expect(tries).toBe(expected));
  }
});

test('indexes workflows while other workflows keep ending', async () => {
  const opened = await openOn('mem');
  onTestFinished(() => opened.close());
  const { store, database } = opened;
  const indexed = async () => {
    const [ids] = (await database.query('SELECT VALUE id FROM workflow_index')) as [unknown[]];
    return ids.length;
  };
  const conversation = await new Conversation(store).create();
  for (let ended = 0; ended < 300 && (await indexed()) === 0; ended += 8)
    await conversation.addAll(Array.from({ length: 8 }, () => ({})));
  expect(await indexed()).toBeGreaterThan(0);
});
