/** What of a transcript reaches a model where others have a part in it. */
import { expect, test } from 'vitest';
import type { Entry } from '#contract/message.ts';
import { nextStep, reviewsOf, toWire } from '#core/store/log/transcript.ts';

const at = '2026-01-01T00:00:00.000Z';
const base = { at, interrupted: false, stopReason: 'end_turn', responseId: null } as const;
const answer = (n: number, text: string): Entry => ({
  ...base,
  n,
  kind: 'assistant',
  messageId: `m${n}`,
  parts: [{ type: 'text', text }],
});
const handoff = { at, kind: 'handoff', runId: 'r', round: 1, rounds: 3, answer: 1 } as const;
const review = { answer: 1, verdict: { passed: false, score: 40, critique: 'The date is wrong.' } };

const entries: Entry[] = [
  { n: 0, at, kind: 'user', source: 'person', text: 'When was it built?' },
  answer(1, 'In 1888.'),
  { ...handoff, n: 2, from: 'lead', to: 'reviewer', prompt: 'Check the answer.' },
  { ...handoff, n: 3, from: 'reviewer', to: 'lead', prompt: '', back: { outcome: 'completed', review } },
];

test('a handoff entry is not sent as a message and does not change the next step', () => {
  expect(toWire(entries).map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(JSON.stringify(toWire(entries))).not.toContain('Check the answer');
  expect(nextStep(entries)).toMatchObject({ do: 'close', last: { n: 1 } });
  expect(reviewsOf(entries)).toEqual([review]);
});

test('the request of a coagent is sent as the next prompt', () => {
  const words: Entry = { n: 4, at, kind: 'user', source: 'coagent', text: 'Look the date up.' };
  expect(nextStep([...entries, words])).toEqual({ do: 'request' });
  expect(toWire([...entries, words]).at(-1)).toEqual({
    role: 'user',
    content: [{ type: 'text', text: 'Look the date up.' }],
  });
});

test('sends each response as one message, followed by its results in the order of the calls', () => {
  const call = (id: string) => ({ type: 'tool_use' as const, id, name: 'read_file', input: {} });
  const result = (n: number, toolCallId: string): Entry => ({
    at,
    n,
    kind: 'tool',
    toolCallId,
    name: 'read_file',
    status: 'completed',
    output: `Result of ${toolCallId}`,
    durationMs: 1,
    metadata: {},
  });
  const calls: Entry = {
    ...base,
    n: 1,
    kind: 'assistant',
    messageId: 'm1',
    stopReason: 'tool_use',
    parts: [{ type: 'text', text: 'I read.' }, call('a'), call('b')],
  };
  const remark: Entry = { n: 4, at, kind: 'system', code: 'resumed', text: 'Resumed' };
  const read = [entries[0]!, calls, result(2, 'b'), result(3, 'a'), remark];
  const results = ['a', 'b'].map((id) => {
    return { type: 'tool_result', toolCallId: id, output: `Result of ${id}`, isError: false };
  });
  expect(toWire([...read, answer(5, 'Both are read.')])).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: 'When was it built?' }] },
    { role: 'assistant', content: [{ type: 'text' }, { type: 'tool_use', id: 'a' }, { type: 'tool_use', id: 'b' }] },
    { role: 'user', content: results },
    { role: 'assistant', content: [{ type: 'text', text: 'Both are read.' }] },
  ]);
});
