/** Permits go out in order of arrival, and their number can change while they are held. */
import { expect, test } from 'vitest';
import { Semaphore } from '#core/base/semaphore.ts';

const { signal } = new AbortController();

/** Which of so many that came in this order are in, and how to end each. */
async function queue(semaphore: Semaphore, count: number) {
  const releases: (() => void)[] = [];
  for (let index = 0; index < count; index += 1)
    void semaphore.acquire(signal).then((release) => (releases[index] = release));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  return {
    inside: () => Object.keys(releases).map(Number),
    leave: (index: number) => (releases[index]?.(), settle()),
    settle,
  };
}

test('additional permits admit waiting tasks at once and in order', async () => {
  const semaphore = new Semaphore(1);
  const { inside, settle } = await queue(semaphore, 4);
  expect(inside()).toEqual([0]);
  semaphore.resize(3);
  await settle();
  expect(inside()).toEqual([0, 1, 2]);
});

test('fewer permits interrupt no holder, and admit new ones only after enough holders have left', async () => {
  const semaphore = new Semaphore(3);
  const { inside, leave } = await queue(semaphore, 5);
  semaphore.resize(1);
  await leave(0);
  await leave(1);
  expect(inside(), 'one of three is left').toEqual([0, 1, 2]);
  await leave(2);
  expect(inside()).toEqual([0, 1, 2, 3]);
  await leave(3);
  expect(inside()).toEqual([0, 1, 2, 3, 4]);
});
