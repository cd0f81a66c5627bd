/** The choice of the result, and the answers that it supersedes. */
import { describe, expect, test } from 'vitest';
import { chooseResult, findSupersededAnswers } from '#contract/flows/result.ts';
import type { Entry } from '#contract/message.ts';

const at = '2026-01-02T03:04:05.000Z';
const says = (n: number, text: string, by?: string): Entry => ({
  ...{ kind: 'assistant', n, at, messageId: `m${n}`, responseId: null, parts: [{ type: 'text', text }] },
  ...{ stopReason: 'end_turn', interrupted: false, ...(by !== undefined && { by }) },
});
const out = (n: number, answer: number): Entry => ({
  ...{ kind: 'handoff', n, at, from: 'a', to: 'b', runId: 'r', round: 1, rounds: 3, answer, prompt: 'Look.' },
});
const back = (n: number, answer: number, passed: boolean, score: number | null): Entry => ({
  ...{ kind: 'handoff', n, at, from: 'b', to: 'a', runId: 'r', round: 1, rounds: 3, answer, prompt: '' },
  back: { outcome: 'completed', review: { answer, verdict: { passed, score, critique: '' } } },
});
const round = (n: number, text: string, passed: boolean, score: number | null): Entry[] => [
  says(n, text),
  out(n + 1, n),
  back(n + 2, n, passed, score),
];

describe('the result of a run', () => {
  test.for([
    ['approved', [...round(0, 'One', false, 40), ...round(3, 'Two', true, 90)], 'completed', 'Two', 3, 90, [0]],
    ['best', [...round(0, 'One', false, 80), ...round(3, 'Two', false, 60)], 'partial', 'One', 0, 80, [3]],
    ['last', [...round(0, 'One', false, null), ...round(3, 'Two', false, null)], 'partial', 'Two', 3, null, [0]],
    ['declared', [...round(0, 'One', false, null), says(3, 'Two')], 'completed', 'Two', 3, null, [0]],
    ['completed', [...round(0, 'One', true, 90), says(3, 'Fixed', 'b')], 'completed', 'One\n\nFixed', 0, 90, []],
  ] as const)('is %s', ([reason, entries, outcome, text, entry, score, others]) => {
    expect(chooseResult({ outcome, text }, entries)).toEqual({ reason, entry, score });
    expect(findSupersededAnswers({ outcome, text }, entries).map((one) => one.entry)).toEqual(others);
  });

  test('is not chosen for a single answer without a review', () => {
    expect(chooseResult({ outcome: 'completed', text: 'One' }, [says(0, 'One')])).toBeNull();
    expect(findSupersededAnswers({ outcome: 'completed', text: 'One' }, [says(0, 'One')])).toEqual([]);
  });

  test('supersedes an answer of a running run as soon as another answer follows', () => {
    const run = { outcome: null, text: '' };
    const first = round(0, 'One', false, 40);
    expect(findSupersededAnswers(run, first)).toEqual([]);
    expect(findSupersededAnswers(run, [...first, says(3, 'Two')])).toEqual([{ entry: 0, score: 40 }]);
  });
});
