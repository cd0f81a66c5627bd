/** What is streamed leaves as few hints that join without a gap, and never after an event that came later. */
import { expect, test } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { EventLog } from '#core/store/log/event-log.ts';
import { newId } from '#core/base/ids.ts';
import { OpenMessages, type Piece } from '#core/store/log/open-messages.ts';
import { Recorder } from '#core/store/log/recorder.ts';
import { WorkflowTotals } from '#core/store/log/workflow-totals.ts';
import { memoryStore } from '../../../support/stores/pooled.ts';

const messageId = newId();
const words = (part: number, text: string): Piece => {
  return { messageId, part, kind: 'text', text, toolCallId: null, name: null };
};
const call = (part: number, text: string): Piece => {
  return { messageId, part, kind: 'tool', text, toolCallId: 'call_1', name: 'read_file' };
};

async function start(): Promise<{ recorder: Recorder; open: OpenMessages; events: AgentEvent[] }> {
  const store = await memoryStore();
  const log = new EventLog(store, (error) => {
    throw error;
  });
  const open = new OpenMessages(log);
  const ids = {
    conversationId: newId(),
    workflowId: newId(),
    runId: newId(),
    parentRunId: null,
    agent: 'lead',
  };
  await log.open(ids.conversationId);
  const events: AgentEvent[] = [];
  log.subscribe(ids.conversationId, (event) => events.push(event));
  return { recorder: new Recorder(log, open, ids, ZERO_TALLY, new WorkflowTotals(ZERO_TALLY)), open, events };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const told = (events: readonly AgentEvent[]): unknown[] =>
  events.map((event) => ('offset' in event ? [event.type, event.part, event.offset, event.text] : event.type));

test('merges the stream pieces of one event loop turn into one hint per message part', async () => {
  const { recorder, open, events } = await start();
  for (const piece of [words(0, 'Hel'), words(0, 'lo, '), words(0, 'you'), call(1, '{"pa'), call(1, 'th"')])
    recorder.hint(piece);
  expect(events.length, 'not before the turn has ended').toBeLessThan(2);
  expect(
    open.get(messageId)?.parts.map(({ text }) => text),
    'known at once',
  ).toEqual(['Hello, you', '{"path"']);
  await turn();
  recorder.hint(call(1, ':1}'));
  await turn();
  expect(told(events)).toEqual([
    ['message-delta', 0, 0, 'Hello, you'],
    ['tool-delta', 1, 0, '{"path"'],
    ['tool-delta', 1, 7, ':1}'],
  ]);
});

test('publishes an event after the text that was streamed before the event', async () => {
  const { recorder, events } = await start();
  recorder.hint(words(0, 'Hello'));
  const stored = recorder.record({ type: 'notice', level: 'info', text: 'something' });
  recorder.hint(words(0, ', you'));
  await stored;
  await turn();
  expect(told(events)).toEqual([['message-delta', 0, 0, 'Hello'], 'notice', ['message-delta', 0, 5, ', you']]);
});

test('includes a complete call without streamed pieces in the open message for new clients', async () => {
  const { recorder, open } = await start();
  const value = { type: 'tool_use', id: 'call_1', name: 'list_directory', input: { path: '.' } } as const;
  const message = { messageId, n: 1, turn: 0, responseId: null };
  await recorder.record({ type: 'message-part', ...message, part: 1, value });
  const [message0] = open.of(recorder.ids.conversationId);
  expect(message0?.parts[1]).toEqual({
    kind: 'tool',
    text: '{"path":"."}',
    toolCallId: 'call_1',
    name: 'list_directory',
  });
});
