/** The words about agents that review their own answers. */
import type { Reflection } from '#contract/agent.ts';
import type { Review } from '#contract/message.ts';
import { plural } from './sentences.ts';

export const reviewWords = {
  reviews: 'Reviews',
  now: 'Reviewing its answer…',
  field: 'Reviews its answer',
  off: 'no',
  tries: (value: number) =>
    value === 0 ? 'once, without another try' : `up to ${plural(value, 'more try', 'more tries')}`,
  /** Against what, and how often. */
  fact: ({ criteria, maxRetries }: Reflection) =>
    `${reviewWords.tries(maxRetries)}, against ${criteria === null ? 'its task' : `these criteria:\n${criteria}`}`,
  head: ({ verdict }: Review) =>
    verdict
      ? `Review ${verdict.passed ? 'passed' : 'not passed'}${verdict.score === null ? '' : `: ${verdict.score} of 100`}`
      : 'Review: it could not be read',
  by: (coagent: string) => `by ${coagent}`,
  purposes: {
    review: 'review',
    context: 'question',
    sampling: 'for a server',
    handoff: 'handoff',
    compaction: 'compaction',
  },
} as const;
