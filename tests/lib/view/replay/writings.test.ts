// The words of a message come between its first token and its end, as the log has both.
import { expect, it } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import type { Part } from '#contract/message.ts';
import { viewBefore } from '#lib/view/replay/keyframes.ts';
import { withWritten, writingsOf } from '#lib/view/replay/writings.ts';
import { reduce } from '#lib/view/reduce.ts';
import { emptyConversation } from '../../support/rows.ts';
import { idOf, type RecordedRun, Recording, requestUsage, startOf } from '../../../support/recording.ts';

const MESSAGE = idOf(7);

/** One message that begins, and whose end comes `ms` later. */
function told(parts: Part[], ms: number, between: (lead: RecordedRun) => void = () => undefined) {
  const story = new Recording({ stepMs: 1 });
  const { lead } = story.startWorkflow('Go');
  const request = startOf(requestUsage(story, {}));
  lead.say({ type: 'message-start', messageId: MESSAGE, turn: 1, request });
  between(lead);
  const begun = story.events.filter((event): event is DurableEvent => 'seq' in event);
  const start = Date.parse(begun.findLast(({ type }) => type === 'message-start')!.at);
  // The end is one step later.
  story.pass(ms - 1 - (Date.parse(story.at) - start));
  const end = { kind: 'assistant', n: 1, at: story.at, messageId: MESSAGE, responseId: null } as const;
  lead.say({ type: 'message-end', entry: { ...end, parts, stopReason: 'end_turn', interrupted: false } });
  const events = story.events.filter((event): event is DurableEvent => 'seq' in event);
  const view = reduce(viewBefore(emptyConversation()), begun);
  const at = (after: number, all = events) => withWritten(view, writingsOf(all), start + after).open[0]!.parts;
  return { at, request, start, events, lead, story };
}

const texts = (parts: { text: string }[]) => parts.map(({ text }) => text);

it('shows a share of the text in proportion to the elapsed time', () => {
  const { at } = told([{ type: 'text', text: '0123456789' }], 1000);
  expect([0, 100, 500, 990, 1000, 5000].map((after) => texts(at(after)))).toEqual([
    [],
    ['0'],
    ['01234'],
    ['012345678'],
    ['0123456789'],
    ['0123456789'],
  ]);
});

it('writes part after part, including tool arguments', () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a' } } as const;
  const { at } = told([{ type: 'text', text: '01234567890' }, call], 2200);
  expect(texts(at(500))).toEqual(['01234']);
  expect(at(1500)[1]).toMatchObject({ kind: 'tool', toolCallId: 'toolu_1', name: 'read_file', text: '{"pa' });
});

it('starts at the first token, and ends with the request', () => {
  const { lead, request, start, story, at } = told([{ type: 'text', text: '0123456789' }], 60_000);
  lead.say({
    type: 'usage',
    request: {
      ...request,
      provider: 'anthropic',
      model: 'm',
      turn: 1,
      outputTokens: 1,
      thinkingTokens: 0,
      reported: true,
      stopReason: 'end_turn',
      error: null,
      priceVersion: null,
      nanoUsd: null,
      startedAt: new Date(start - 500).toISOString(),
      firstTokenMs: 1500,
      durationMs: 2500,
    },
  });
  const all = story.events.filter((event): event is DurableEvent => 'seq' in event);
  expect([900, 1500, 2000].map((after) => texts(at(after, all)))).toEqual([[], ['01234'], ['0123456789']]);
});

it('never splits a character', () => {
  const { at } = told([{ type: 'text', text: '😀😀' }], 400);
  expect([100, 200, 300].map((after) => texts(at(after)))).toEqual([[], ['😀'], ['😀']]);
});

it('keeps a stored part, and writes only the parts after it', () => {
  const parts: Part[] = [
    { type: 'text', text: '0123456789' },
    { type: 'text', text: 'abcdefghij' },
  ];
  const message = { messageId: MESSAGE, n: 1, turn: 1, responseId: null, part: 0 } as const;
  const { at } = told(parts, 2000, (lead) => lead.say({ type: 'message-part', ...message, value: parts[0]! }));
  expect(texts(at(100))).toEqual(['0123456789']);
  expect(texts(at(1500))).toEqual(['0123456789', 'abcde']);
});

it('shows no text of a failed attempt', () => {
  const { events } = told([{ type: 'text', text: 'x' }], 1000);
  const failed = events.filter(({ type }) => type !== 'message-end');
  const view = reduce(viewBefore(emptyConversation()), failed);
  expect(withWritten(view, writingsOf(failed), Infinity).open[0]!.parts).toEqual([]);
});
