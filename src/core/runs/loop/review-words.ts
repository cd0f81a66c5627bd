/** What one review found, in one line. Pure. */
import type { Review } from '#contract/message.ts';

/** `number`: counts the reviews of a run from 1. Without the critique. */
export function headOfReview(number: number, review: Pick<Review, 'verdict'>): string {
  return `Review ${number}: ${verdictOf(review)}`;
}

export function verdictOf({ verdict }: Pick<Review, 'verdict'>): string {
  if (!verdict) return 'it could not be read';
  const score = verdict.score === null ? '' : `, ${verdict.score} of 100`;
  return `${verdict.passed ? 'passed' : 'not passed'}${score}`;
}
