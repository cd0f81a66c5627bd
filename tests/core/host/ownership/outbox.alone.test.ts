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

test('sends the hints of one frame together and merges consecutive text of one message', () => {
  const { sent, box } = outbox();
  box.push(hint(first, 0, 'Hel'));
  box.push(hint(second, 0, 'x'));
  box.push(hint(first, 3, 'lo'));
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(sent).toEqual([[hint(first, 0, 'Hello'), hint(second, 0, 'x')]]);
});

test('sends only the newest output of each tool call', () => {
  const { sent, box } = outbox();
  const printed = (toolCallId: string, tail: string) => ofLead('tool-output', { toolCallId, tail, bytes: tail.length });
  box.push(printed('a', 'one'));
  box.push(printed('b', 'other'));
  box.push(printed('a', 'one two'));
  vi.advanceTimersByTime(20);
  expect(sent).toEqual([[printed('a', 'one two'), printed('b', 'other')]]);
});

test('does not merge text deltas with a gap between them', () => {
  const { sent, box } = outbox();
  box.push(hint(first, 0, 'a'));
  box.push(hint(first, 5, 'b'));
  vi.advanceTimersByTime(20);
  expect(sent.flat()).toHaveLength(2);
});

test('sends a durable event at once after earlier hints, and the durable events of one turn in one frame', async () => {
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

test('does not merge a hint after a durable event with a hint before the event', async () => {
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

test('sends nothing after the outbox is closed', async () => {
  const { sent, box } = outbox();
  box.push(hint(first, 0, 'a'));
  box.push(workflowEnd());
  box.close();
  await Promise.resolve();
  vi.advanceTimersByTime(50);
  expect(sent).toEqual([]);
});
