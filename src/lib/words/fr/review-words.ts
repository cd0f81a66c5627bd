/** The words about agents that review their own answers, in French. */
import type { SameWords } from '../following.ts';
import type { reviewWords as english } from '../review-words.ts';
import { isOne } from './sentences.ts';

const tries = (value: number): string =>
  value === 0
    ? 'une fois, sans autre essai'
    : `jusqu’à ${value} ${isOne(value) ? 'essai supplémentaire' : 'essais supplémentaires'}`;

export const reviewWords = {
  reviews: 'Relectures',
  now: 'Relit sa réponse…',
  field: 'Relit sa réponse',
  off: 'non',
  tries,
  fact: ({ criteria, maxRetries }) =>
    `${tries(maxRetries)}, selon ${criteria === null ? 'sa tâche' : `ces critères :\n${criteria}`}`,
  head: ({ verdict }) =>
    verdict
      ? `Relecture ${verdict.passed ? 'réussie' : 'non réussie'}${verdict.score === null ? '' : ` : ${verdict.score} sur 100`}`
      : 'Relecture : illisible',
  by: (coagent) => `par ${coagent}`,
  purposes: {
    review: 'relecture',
    context: 'question',
    sampling: 'pour un serveur',
    handoff: 'relais',
    compaction: 'compactage',
  },
} satisfies SameWords<typeof english>;
