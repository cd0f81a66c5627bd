/** Spans that nobody takes are bounded: the oldest go first, and are counted. */
import { expect, test } from 'vitest';
import type { Span } from '#core/host/telemetry/span.ts';
import { SpanQueue } from '#core/host/telemetry/span-queue.ts';

const spanOf = (start: number) => ({ start }) as Span;

test('the queue keeps the newest 2,048 spans and counts the dropped spans', async () => {
  const sent: number[] = [];
  const queue = new SpanQueue((spans) => {
    sent.push(...spans.map(({ start }) => start));
    return Promise.resolve({ ok: true });
  });
  queue.add(Array.from({ length: 3000 }, (_, index) => spanOf(index)));
  expect(queue.counts).toMatchObject({ waiting: 2048, dropped: 952 });
  await queue.close(1000);
  expect([sent.length, sent[0], sent.at(-1)]).toEqual([2048, 952, 2999]);
  expect(queue.counts).toMatchObject({ sent: 2048, waiting: 0, dropped: 952 });
});
