/** What a person reads of a fork, at both ends of it, outside of the screens. */
import type { ForkedFrom } from './fork.ts';
import type { ConversationRow, WorkflowRow } from '../view.ts';

/** What was taken over says so itself; nothing for a message that was sent here. */
export const TAKEN_TEXT = 'Taken over from the session that this one was forked from: it is counted there';

/** What came from the cache of a fork that went on from a step. */
export const CACHED_TEXT = 'from cache, $0';

/** Of a workflow that went on from a step of another session; nothing for any other. */
export function wentOnText({ from }: Pick<WorkflowRow, 'from'>): string[] {
  if (!from) return [];
  const where = `step ${from.entry} of run ${from.runId} in session ${from.conversationId}`;
  return [
    `Went on from ${where}: what was done until there is from the cache and counted there, files stayed as they were`,
  ];
}

/** The title of a fork that nobody called anything else says what it is a fork of. */
export function titleText({ title, from }: Pick<ConversationRow, 'title' | 'from'>): string {
  return from && title === from.title ? `Fork${forkPlace(from)} of “${title}”` : title;
}

function forkPlace({ step, entry = step?.entry, message }: ForkedFrom): string {
  if (entry !== undefined) return ` at step ${entry}`;
  return message === undefined ? '' : ` at message ${message}`;
}

/** Empty for one that is no fork. */
export function forkedFromText({ from }: Pick<ConversationRow, 'from'>): string[] {
  if (!from) return [];
  const at = `${from.step ? 'at a step of' : 'at'} workflow ${from.workflowId}`;
  const what = from.last === null && !from.step ? 'before its first message' : at;
  return [`Forked from session ${from.conversationId}, ${what}. Files stayed as they were`];
}

/** One line for each fork that was made here, with its id. */
export function forksText({ forks }: Pick<WorkflowRow, 'forks'>): string[] {
  return (forks ?? []).map(
    ({ conversationId, end, step }) =>
      `Forked ${step ? 'at a step of' : end === 'before' ? 'before' : 'after'} this: session ${conversationId}`,
  );
}
