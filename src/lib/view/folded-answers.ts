/** The answers that the page folds: superseded answers, and the answer that a lead passed to a stage. Pure. */
import { chooseResult, findSupersededAnswers } from '#contract/flows/result.ts';
import type { Entry } from '#contract/message.ts';
import { firstLine } from '#contract/messages/short-text.ts';
import type { RunRow } from '#contract/view.ts';

export interface FoldedAnswer {
  /** 0 to 100; null for none. */
  score: number | null;
  /** The stage that got the answer; null for a superseded answer. */
  next: string | null;
}

/** Returns the folded answers by the number of their entry. */
export function findFoldedAnswers(
  run: Pick<RunRow, 'kind' | 'text' | 'outcome' | 'envelope'>,
  entries: readonly Entry[],
): ReadonlyMap<number, FoldedAnswer> {
  const folded = new Map<number, FoldedAnswer>(
    findSupersededAnswers(run, entries).map(({ entry, score }) => [entry, { score, next: null }]),
  );
  const [next] = run.envelope.stages;
  if (run.kind !== 'lead' || run.outcome !== 'completed' || !next) return folded;
  const last = entries.findLast((entry) => entry.kind === 'assistant' && !entry.interrupted);
  for (const n of [chooseResult(run, entries)?.entry, last?.n])
    if (n !== undefined) folded.set(n, { score: null, next: next.agent });
  return folded;
}

/** Returns the first line of an answer, without the marks of a heading. */
export function formatAnswerTitle(answer: string): string {
  return firstLine(answer).replace(/^#{1,6}\s+/, '');
}
