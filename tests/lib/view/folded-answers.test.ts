/** The answers of a run that the page folds. */
import { expect, test } from 'vitest';
import type { Entry } from '#contract/message.ts';
import { findFoldedAnswers, formatAnswerTitle } from '#lib/view/folded-answers.ts';
import { envelopeOf } from '../../support/envelope.ts';

const at = '2026-01-02T03:04:05.000Z';
const says = (n: number): Entry => ({
  ...{ kind: 'assistant', n, at, messageId: `m${n}`, responseId: null, parts: [{ type: 'text', text: `Answer ${n}` }] },
  ...{ stopReason: 'end_turn', interrupted: false },
});
const reviewed = (n: number, answer: number, passed: boolean, score: number): Entry => ({
  ...{ kind: 'handoff', n, at, from: 'b', to: 'a', runId: 'r', round: 1, rounds: 3, answer, prompt: '' },
  back: { outcome: 'completed', review: { answer, verdict: { passed, score, critique: '' } } },
});
const entries = [says(0), reviewed(1, 0, false, 40), says(2), reviewed(3, 2, true, 90)];
const run = { kind: 'lead', text: 'Answer 2', outcome: 'completed', envelope: envelopeOf('lead', 'Go') } as const;

test('folds a superseded answer with its score', () => {
  expect([...findFoldedAnswers(run, entries)]).toEqual([[0, { score: 40, next: null }]]);
});

test('folds the answer that a lead passed to a stage, and not the answer of a sub-agent', () => {
  const { prompt: _, stages: __, ...stage } = envelopeOf('next', '-');
  const followed = { ...run, envelope: { ...run.envelope, stages: [stage] } };
  expect(findFoldedAnswers(followed, entries).get(2)).toEqual({ score: null, next: 'next' });
  expect(findFoldedAnswers({ ...followed, kind: 'delegate' }, entries).get(2)).toBeUndefined();
});

test('names a folded answer by its first line, without the marks of a heading', () => {
  expect(formatAnswerTitle('## Findings\n\nThere are two.')).toBe('Findings');
  expect(formatAnswerTitle('#1 is the worst.')).toBe('#1 is the worst.');
});
