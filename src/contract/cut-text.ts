/** What a person reads of a response that was cut off after it had been acted upon. */
import type { AssistantEntry } from './message.ts';

export function cutText({ calls }: NonNullable<AssistantEntry['cut']>): string {
  const begun = calls.length > 0 ? `, with the calls that had begun: ${calls.join(', ')}` : '';
  return `The response was cut off here. What followed is lost${begun}; the model is told.`;
}
