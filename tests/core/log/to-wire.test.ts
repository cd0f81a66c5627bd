/** What of a transcript reaches a model where others have a part in it. */
import { expect, test } from 'vitest';
import type { Entry } from '#contract/message.ts';
import { nextStep, reviewsOf, toWire } from '#core/log/transcript.ts';

const at = '2026-01-01T00:00:00.000Z';
const base = { at, interrupted: false, stopReason: 'end_turn', responseId: null } as const;
const answer = (n: number, text: string): Entry => ({
  ...{ ...base, n, kind: 'assistant', messageId: `m${n}` },
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

test('a handoff is no message, and changes nothing about the next step', () => {
  expect(toWire(entries).map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(JSON.stringify(toWire(entries))).not.toContain('Check the answer');
  expect(nextStep(entries)).toMatchObject({ do: 'close', last: { n: 1 } });
  expect(reviewsOf(entries)).toEqual([review]);
});

test('what the coagent wants is the next prompt', () => {
  const words: Entry = { n: 4, at, kind: 'user', source: 'coagent', text: 'Look the date up.' };
  expect(nextStep([...entries, words])).toEqual({ do: 'request' });
  expect(toWire([...entries, words]).at(-1)).toEqual({
    role: 'user',
    content: [{ type: 'text', text: 'Look the date up.' }],
  });
});
