/** The reviews of the answers of a run, and its superseded answers. Pure. */
import type { Entry, HandoffEntry, Review } from '#contract/message.ts';
import { findSupersededAnswers } from '#contract/flows/result.ts';
import { textOf } from '#contract/messages/response-text.ts';
import type { RunRow } from '#contract/view.ts';
import { fence, quote } from '../markdown-parts.ts';
import { headOfReview } from '#core/runs/loop/review-words.ts';

/** Returns the reviews that a run made itself, in order. Those of its coagent are part of its handoffs. */
export function reviewsOf(
  run: Pick<RunRow, 'reviews' | 'text' | 'outcome'>,
  handoffs: readonly HandoffEntry[],
  entries: readonly Entry[] = [],
): string[] {
  const own = (run.reviews ?? []).filter(
    (review) => !handoffs.some(({ back }) => back?.review && isSame(back.review, review)),
  );
  return own.flatMap((review, index) => {
    const critique = review.verdict?.critique ?? '';
    const head = `- ${headOfReview(index + 1, review)}`;
    const isLast = own[index + 1]?.answer !== review.answer;
    const fold = isLast ? foldSupersededAnswer(review.answer, run, entries) : [];
    return ['', head, ...(critique === '' ? [] : ['', quote(critique)]), ...fold];
  });
}

/** Returns the text of an answer behind a fold; empty for an answer that is not superseded. */
export function foldSupersededAnswer(
  answer: number,
  run: Pick<RunRow, 'text' | 'outcome'>,
  entries: readonly Entry[],
): string[] {
  const entry = entries.find(({ n }) => n === answer);
  const isSuperseded = findSupersededAnswers(run, entries).some((superseded) => superseded.entry === answer);
  if (!isSuperseded || entry?.kind !== 'assistant') return [];
  return ['', '<details>', '<summary>Superseded answer</summary>', '', fence(textOf(entry)), '', '</details>'];
}

function isSame(a: Review, b: Review): boolean {
  const facts = ({ answer, verdict }: Review) => [answer, verdict?.passed, verdict?.score, verdict?.critique];
  return JSON.stringify(facts(a)) === JSON.stringify(facts(b));
}
