/** What a run found when it reviewed its own answers, one after the other. Pure. */
import type { RunRow } from '#contract/view.ts';
import { quote } from '../markdown-parts.ts';

/** Empty for a run that did not. */
export function reviewsOf({ reviews }: Pick<RunRow, 'reviews'>): string[] {
  return (reviews ?? []).flatMap(({ verdict }, index) => {
    const review = `- Review ${index + 1}`;
    if (!verdict) return ['', `${review}: it could not be read`];
    const { passed, score, critique } = verdict;
    const head = `${review}: ${passed ? 'passed' : 'not passed'}, ${score} of 100`;
    return ['', head, ...(critique === '' ? [] : ['', quote(critique)])];
  });
}
