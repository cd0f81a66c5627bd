/** What a person reads of a fork, at both ends of it, outside of the screens. */
import type { ConversationRow, WorkflowRow } from '../view.ts';

/** What was taken over says so itself; nothing for a message that was sent here. */
export const TAKEN_TEXT = 'Taken over from the session that this one was forked from: it is counted there';

/** Empty for one that is no fork. */
export function forkedFromText({ from }: Pick<ConversationRow, 'from'>): string[] {
  if (!from) return [];
  const what = from.last === null ? 'before its first message' : `at workflow ${from.workflowId}`;
  return [`Forked from session ${from.conversationId}, ${what}. Files stayed as they were`];
}

/** One line for each fork that was made here, with its id. */
export function forksText({ forks }: Pick<WorkflowRow, 'forks'>): string[] {
  return (forks ?? []).map(
    ({ conversationId, end }) => `Forked ${end === 'before' ? 'before' : 'after'} this: session ${conversationId}`,
  );
}
