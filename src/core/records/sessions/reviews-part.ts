/** The reviews that a run made of its own answers, in order. Pure. */
import type { RunRow } from '#contract/view.ts';
import { quote } from '../markdown-parts.ts';
import { headOfReview } from '../../loop/review-words.ts';

/** Empty if it made none. */
export function reviewsOf({ reviews }: Pick<RunRow, 'reviews'>): string[] {
  return (reviews ?? []).flatMap((review, index) => {
    const critique = review.verdict?.critique ?? '';
    const head = `- ${headOfReview(index + 1, review)}`;
    return ['', head, ...(critique === '' ? [] : ['', quote(critique)])];
  });
}
