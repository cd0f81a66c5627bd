/** Words reach the client once, whatever hints are lost, late or told again. */
import { expect, test } from 'vitest';
import type { AssistantEntry } from '#contract/message.ts';
import { RunUpdates } from '#hosts/acp/run-updates.ts';
import { conversationId, leadId, ofLead } from '../support/events.ts';

const messageId = conversationId;
const delta = (offset: number, text: string) => ofLead('message-delta', { messageId, part: 0, offset, text });
const entry: AssistantEntry = {
  kind: 'assistant',
  n: 1,
  at: '2026-01-01T00:00:00.000Z',
  messageId,
  responseId: null,
  parts: [{ type: 'text', text: 'One two three.' }],
  stopReason: 'end_turn',
  interrupted: false,
};

function saidWith(...hints: ReturnType<typeof delta>[]): string[] {
  const updates = new RunUpdates(leadId, '/');
  const events = [...hints, ofLead('message-end', { entry })];
  return events
    .flatMap((event) => updates.of(event))
    .flatMap((update) =>
      'content' in update && update.content && 'text' in update.content ? [update.content.text] : [],
    );
}

test('sends each word once when deltas overlap, have gaps or never come', () => {
  expect(saidWith(delta(0, 'One '), delta(4, 'two'))).toEqual(['One ', 'two', ' three.']);
  expect(saidWith(delta(0, 'One '), delta(0, 'One two'))).toEqual(['One ', 'two', ' three.']);
  expect(saidWith(delta(0, 'One '), delta(8, 'three.'))).toEqual(['One ', 'two three.']);
  expect(saidWith()).toEqual(['One two three.']);
});

test('streams the output of a running call, unless the client shows it in its own terminal', () => {
  const updates = new RunUpdates(leadId, '/');
  const printed = ofLead('tool-output', { toolCallId: 'call-1', tail: 'half', bytes: 4 });
  expect(updates.of(printed)).toMatchObject([{ content: [{ content: { text: 'half' } }] }]);
  expect(updates.terminal('call-1', 't1')).toMatchObject({ content: [{ type: 'terminal', terminalId: 't1' }] });
  expect(updates.of(printed)).toEqual([]);
});
