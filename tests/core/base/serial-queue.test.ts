/** One task at a time, in order; what one of them fails with is its own matter, unless it stops the others. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SerialQueue } from '#core/base/serial-queue.ts';

test('each starts when the one before has ended, and none in the turn in which it is added', async () => {
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

test('a failure is told to whoever added the task, before the next one starts', async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const failed = queue.add(() => Promise.reject(new Error('no'))).catch((error: Error) => log.push(error.message));
  const next = queue.add(async () => log.push('next'));
  await Promise.all([failed, next]);
  expect(log).toEqual(['no', 'next']);
});

test('it has settled when all that was added before has ended, failures too', async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  queue.add(() => Promise.reject(new Error('no'))).catch(() => log.push('failed'));
  void queue.add(async () => log.push('first'));
  const settled = queue.settled().then(() => log.push('settled'));
  void queue.add(async () => log.push('later'));
  await settled;
  expect(log.slice(0, 3)).toEqual(['failed', 'first', 'settled']);
});
