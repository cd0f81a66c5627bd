/** The answers of a run that the page folds. */
import { expect, test } from 'vitest';
import { findFoldedAnswers, formatAnswerTitle } from '#lib/view/folded-answers.ts';
import { envelopeOf } from '../../support/envelope.ts';
import { reviewedAnswer } from '../../support/flows/answers.ts';

const entries = [...reviewedAnswer(0, 'First', false, 40), ...reviewedAnswer(3, 'Second', true, 90)];
const run = { kind: 'lead', text: 'Second', outcome: 'completed', envelope: envelopeOf('lead', 'Go') } as const;

test('folds a superseded answer with its score', () => {
  expect([...findFoldedAnswers(run, entries)]).toEqual([[0, { score: 40, next: null }]]);
});

test('folds the answer that a lead passed to a stage, and not the answer of a sub-agent', () => {
  const { prompt: _, stages: __, ...stage } = envelopeOf('next', '-');
  const followed = { ...run, envelope: { ...run.envelope, stages: [stage] } };
  expect(findFoldedAnswers(followed, entries).get(3)).toEqual({ score: null, next: 'next' });
  expect(findFoldedAnswers({ ...followed, kind: 'delegate' }, entries).get(3)).toBeUndefined();
});

test('names a folded answer by its first line, without the marks of a heading', () => {
  expect(formatAnswerTitle('## Findings\n\nThere are two.')).toBe('Findings');
  expect(formatAnswerTitle('#1 is the worst.')).toBe('#1 is the worst.');
});
