/** What a run found when it reviewed its own answers, one after the other. Pure. */
import type { RunRow } from '#contract/view.ts';
import { quote } from '../markdown-parts.ts';
import { headOfReview } from '../../loop/review-words.ts';

/** Empty for a run that did not. */
export function reviewsOf({ reviews }: Pick<RunRow, 'reviews'>): string[] {
  return (reviews ?? []).flatMap((review, index) => {
    const critique = review.verdict?.critique ?? '';
    const head = `- ${headOfReview(index + 1, review)}`;
    return ['', head, ...(critique === '' ? [] : ['', quote(critique)])];
  });
}
