/** How a run ends that ends by itself. */
import type { ErrorInfo } from '#contract/error.ts';
import type { AssistantEntry, Entry } from '#contract/message.ts';
import type { Outcome } from '#contract/outcome.ts';
import { answerOf, salvaged } from '#core/store/log/transcript.ts';

export interface RunResult {
  outcome: Outcome;
  /** The answer, or what there was of it. */
  text: string;
  error: ErrorInfo | null;
}

/** What it said before stands in for an answer that is missing. */
export function closing(last: AssistantEntry | undefined, entries: readonly Entry[]): RunResult {
  const answer = last ? answerOf(entries, last) : '';
  const text = answer || salvaged(entries);
  switch (last?.stopReason) {
    case 'refusal':
      return {
        outcome: 'refused',
        text,
        error: { code: 'refused', message: 'The model declined to answer' },
      };
    case 'max_tokens':
      return {
        outcome: 'partial',
        text,
        error: { code: 'max_tokens', message: 'The answer was cut off at the limit of output tokens' },
      };
    case 'context_exceeded':
      return {
        outcome: 'partial',
        text,
        error: {
          code: 'max_tokens',
          message: "The model's context is full: start a new conversation, or ask for less at once",
        },
      };
    default:
      if (answer === '')
        return {
          outcome: 'partial',
          text,
          error: { code: 'provider', message: 'The model ended without an answer' },
        };
      return { outcome: 'completed', text, error: null };
  }
}
