/** What a question says: in English, and as keys and values for who reads another language. */
import type { Phrase } from '#contract/approvals/phrase.ts';
import { sentenceOf } from '#contract/approvals/phrases.ts';
import type { Question } from './question.ts';

export function asked(title: Phrase, description: Phrase[]): Pick<Question, 'title' | 'description' | 'says'> {
  return {
    title: sentenceOf(title),
    description: description.map(sentenceOf).join('. '),
    says: { title, description },
  };
}
