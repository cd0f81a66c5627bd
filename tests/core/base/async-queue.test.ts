/** Producers push side by side, one consumer deals with the items in order, and each producer gets its own answer. */
import { expect, test } from 'vitest';
import { AsyncQueue } from '#core/base/async-queue.ts';

test('returns the result of the consumer to the producer of the item', async () => {
  const queue = new AsyncQueue<number, string>();
  const answers = Promise.all([1, 2, 3].map((item) => queue.push(item)));
  void answers.then(() => queue.close());
  const drain = queue.drain();
  const seen: number[] = [];
  let next = await drain.next();
  while (!next.done) {
    seen.push(next.value);
    next = await drain.next(`dealt with ${next.value}`);
  }
  expect(seen).toEqual([1, 2, 3]);
  expect(await answers).toEqual(['dealt with 1', 'dealt with 2', 'dealt with 3']);
});

test('the consumer waits for items, and ends when the queue is closed and empty', async () => {
  const queue = new AsyncQueue<string, void>();
  const drain = queue.drain();
  const first = drain.next();
  void queue.push('a');
  void queue.push('b');
  queue.close();
  expect((await first).value).toBe('a');
  expect((await drain.next()).value).toBe('b');
  expect(await drain.next()).toEqual({ done: true, value: undefined });
});

test('rejects pending and later items after the consumer has left', async () => {
  const queue = new AsyncQueue<string, void>();
  const pushed = [queue.push('a'), queue.push('b')];
  const drain = queue.drain();
  await drain.next();
  await drain.return();
  for (const push of [...pushed, queue.push('c')]) await expect(push).rejects.toThrow();
});
