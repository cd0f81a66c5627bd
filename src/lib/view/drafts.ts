/** The answers of a run that are not the result: the page folds them. Pure. */
import { chooseResult, supersededAnswers } from '#contract/flows/result.ts';
import type { Entry } from '#contract/message.ts';
import type { RunRow } from '#contract/view.ts';

export interface Draft {
  /** 0 to 100; null for none. */
  score: number | null;
  /** The agent that goes on from the answer; null for none. */
  next: string | null;
}

/** By the number of the answer's entry. The answer of a lead that a stage goes on from is not the result either. */
export function findDrafts(
  run: Pick<RunRow, 'kind' | 'text' | 'outcome' | 'envelope'>,
  entries: readonly Entry[],
): ReadonlyMap<number, Draft> {
  const drafts = new Map<number, Draft>(
    supersededAnswers(run, entries).map(({ entry, score }) => [entry, { score, next: null }]),
  );
  const [next] = run.envelope.stages;
  if (run.kind !== 'lead' || run.outcome !== 'completed' || !next) return drafts;
  const last = entries.findLast((entry) => entry.kind === 'assistant' && !entry.interrupted);
  for (const n of [chooseResult(run, entries)?.entry, last?.n])
    if (n !== undefined) drafts.set(n, { score: null, next: next.agent });
  return drafts;
}
