/** The reviewed answers of a run, with verdict, score and improvement. Pure. */
import type { Review } from '../message.ts';

/** A type alias, since an interface is no record of plain values, as front matter needs it. */
export type ReviewedAttempt = {
  /** Counts the reviewed answers from 1. */
  attempt: number;
  /** Null if no review of the answer could be read. */
  passed: boolean | null;
  /** From 0 to 100; null without a score. */
  score: number | null;
  /** Score minus the score of the attempt before; null if one of them has none. */
  improvement: number | null;
  critique: string;
};

/** Returns one attempt for each reviewed answer, in order. A review that can be read replaces earlier ones of its answer. */
function getReviewHistory(reviews: readonly Review[] | null | undefined): ReviewedAttempt[] {
  const verdicts = new Map<number, Review['verdict']>();
  for (const { answer, verdict } of reviews ?? []) verdicts.set(answer, verdict ?? verdicts.get(answer) ?? null);
  const attempts: ReviewedAttempt[] = [];
  for (const verdict of verdicts.values()) {
    const score = verdict?.score ?? null;
    const before = attempts.at(-1)?.score ?? null;
    attempts.push({
      attempt: attempts.length + 1,
      passed: verdict?.passed ?? null,
      score,
      improvement: score === null || before === null ? null : score - before,
      critique: verdict?.critique ?? '',
    });
  }
  return attempts;
}

/** Returns the history as a field `reviews`; empty for a run without reviews. */
export function createReviewField(reviews: readonly Review[] | null | undefined): { reviews?: ReviewedAttempt[] } {
  const history = getReviewHistory(reviews);
  return history.length > 0 ? { reviews: history } : {};
}
