/** One task at a time, in order; what one of them fails with is its own matter, unless it stops the others. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SerialQueue } from '#core/base/serial-queue.ts';

test('each task starts after the previous one has ended, and never synchronously', async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const task = (name: string) => async () => {
    log.push(`${name} starts`);
    await turn();
    log.push(`${name} ends`);
    return name;
  };
  const all = [queue.add(task('a')), queue.add(task('b'))];
  log.push('added');
  expect(await Promise.all(all)).toEqual(['a', 'b']);
  expect(log).toEqual(['added', 'a starts', 'a ends', 'b starts', 'b ends']);
});

test('a failure is reported to the caller of the task before the next task starts', async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const failed = queue.add(() => Promise.reject(new Error('no'))).catch((error: Error) => log.push(error.message));
  const next = queue.add(async () => log.push('next'));
  await Promise.all([failed, next]);
  expect(log).toEqual(['no', 'next']);
});

test('settled resolves after all earlier tasks have ended, including failed ones', async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  queue.add(() => Promise.reject(new Error('no'))).catch(() => log.push('failed'));
  void queue.add(async () => log.push('first'));
  const settled = queue.settled().then(() => log.push('settled'));
  void queue.add(async () => log.push('later'));
  await settled;
  expect(log.slice(0, 3)).toEqual(['failed', 'first', 'settled']);
});
