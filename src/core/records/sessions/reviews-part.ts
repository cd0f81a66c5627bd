/** The reviews that a run made of its own answers, in order. Pure. */
import type { HandoffEntry, Review } from '#contract/message.ts';
import type { RunRow } from '#contract/view.ts';
import { quote } from '../markdown-parts.ts';
import { headOfReview } from '../../loop/review-words.ts';

/** Empty if it made none. Those of its coagent came back with a handoff, and stand there. */
export function reviewsOf({ reviews }: Pick<RunRow, 'reviews'>, handoffs: readonly HandoffEntry[]): string[] {
  const own = (reviews ?? []).filter(
    (review) => !handoffs.some(({ back }) => back?.review && isSame(back.review, review)),
  );
  return own.flatMap((review, index) => {
    const critique = review.verdict?.critique ?? '';
    const head = `- ${headOfReview(index + 1, review)}`;
    return ['', head, ...(critique === '' ? [] : ['', quote(critique)])];
  });
}

function isSame(a: Review, b: Review): boolean {
  const facts = ({ answer, verdict }: Review) => [answer, verdict?.passed, verdict?.score, verdict?.critique];
  return JSON.stringify(facts(a)) === JSON.stringify(facts(b));
}
