/** What leaves when: hints merged for a frame, durable events at once and never before what came first. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { createOutbox } from '#core/host/ownership/outbox.ts';
import { ofLead, workflowEnd } from '../../../hosts/support/events.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const first = '018f0000-0000-7000-8000-000000000001';
const second = '018f0000-0000-7000-8000-000000000002';
const hint = (messageId: string, offset: number, text: string) =>
  ofLead('message-delta', { messageId, part: 0, offset, text });

function outbox(congested = () => false) {
  const sent: AgentEvent[][] = [];
  return { sent, box: createOutbox((events) => void sent.push(events), congested) };
}

test('hints of one frame leave together, texts that continue each other as one', () => {
  const { sent, box } = outbox();
  box.push(hint(first, 0, 'Hel'));
  box.push(hint(second, 0, 'x'));
  box.push(hint(first, 3, 'lo'));
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(sent).toEqual([[hint(first, 0, 'Hello'), hint(second, 0, 'x')]]);
});

test('of what a call printed only the newest leaves', () => {
  const { sent, box } = outbox();
  const printed = (toolCallId: string, tail: string) => ofLead('tool-output', { toolCallId, tail, bytes: tail.length });
  box.push(printed('a', 'one'));
  box.push(printed('b', 'other'));
  box.push(printed('a', 'one two'));
  vi.advanceTimersByTime(20);
  expect(sent).toEqual([[printed('a', 'one two'), printed('b', 'other')]]);
});

test('a gap in the text is not closed', () => {
  const { sent, box } = outbox();
  box.push(hint(first, 0, 'a'));
  box.push(hint(first, 5, 'b'));
  vi.advanceTimersByTime(20);
  expect(sent.flat()).toHaveLength(2);
});

test('a durable event leaves at once, after the hints before it; those of one turn leave in one frame', async () => {
  const { sent, box } = outbox();
  const [one, two] = [workflowEnd({ text: '1' }), workflowEnd({ text: '2' })];
  box.push(hint(first, 0, 'a'));
  box.push(one);
  box.push(two);
  await Promise.resolve();
  expect(sent).toEqual([[hint(first, 0, 'a'), one, two]]);
  vi.advanceTimersByTime(50);
  expect(sent).toHaveLength(1);
});

test('a hint after a durable event is not merged into one before it', async () => {
  const { sent, box } = outbox();
  box.push(hint(first, 0, 'a'));
  const middle = workflowEnd();
  box.push(middle);
  await Promise.resolve();
  box.push(hint(first, 1, 'b'));
  vi.advanceTimersByTime(20);
  expect(sent).toEqual([[hint(first, 0, 'a'), middle], [hint(first, 1, 'b')]]);
});

test('a slow reader gets no hints, but every durable event', async () => {
  const { sent, box } = outbox(() => true);
  box.push(hint(first, 0, 'a'));
  const end = workflowEnd();
  box.push(end);
  await Promise.resolve();
  expect(sent).toEqual([[end]]);
});

test('nothing leaves after the close', async () => {
  const { sent, box } = outbox();
  box.push(hint(first, 0, 'a'));
  box.push(workflowEnd());
  box.close();
  await Promise.resolve();
  vi.advanceTimersByTime(50);
  expect(sent).toEqual([]);
});
