/** The choice of the result, and the answers that it supersedes. */
import { describe, expect, test } from 'vitest';
import { chooseResult, findSupersededAnswers } from '#contract/flows/result.ts';
import { answerEntry, reviewedAnswer } from '../../support/flows/answers.ts';

describe('the result of a run', () => {
  test.for([
    [
      'approved',
      [...reviewedAnswer(0, 'One', false, 40), ...reviewedAnswer(3, 'Two', true, 90)],
      'completed',
      'Two',
      3,
      90,
      [0],
    ],
    [
      'best',
      [...reviewedAnswer(0, 'One', false, 80), ...reviewedAnswer(3, 'Two', false, 60)],
      'partial',
      'One',
      0,
      80,
      [3],
    ],
    [
      'last',
      [...reviewedAnswer(0, 'One', false, null), ...reviewedAnswer(3, 'Two', false, null)],
      'partial',
      'Two',
      3,
      null,
      [0],
    ],
    ['declared', [...reviewedAnswer(0, 'One', false, null), answerEntry(3, 'Two')], 'completed', 'Two', 3, null, [0]],
    [
      'completed',
      [...reviewedAnswer(0, 'One', true, 90), answerEntry(3, 'Fixed', 'b')],
      'completed',
      'One\n\nFixed',
      0,
      90,
      [],
    ],
  ] as const)('is the %s answer', ([reason, entries, outcome, text, entry, score, others]) => {
    expect(chooseResult({ outcome, text }, entries)).toEqual({ reason, entry, score });
    expect(findSupersededAnswers({ outcome, text }, entries).map((one) => one.entry)).toEqual(others);
  });

  test('is null for a single answer without a review', () => {
    expect(chooseResult({ outcome: 'completed', text: 'One' }, [answerEntry(0, 'One')])).toBeNull();
    expect(findSupersededAnswers({ outcome: 'completed', text: 'One' }, [answerEntry(0, 'One')])).toEqual([]);
  });

  test('supersedes an answer of a running run as soon as another answer follows', () => {
    const run = { outcome: null, text: '' };
    const first = reviewedAnswer(0, 'One', false, 40);
    expect(findSupersededAnswers(run, first)).toEqual([]);
    expect(findSupersededAnswers(run, [...first, answerEntry(3, 'Two')])).toEqual([{ entry: 0, score: 40 }]);
  });
});
