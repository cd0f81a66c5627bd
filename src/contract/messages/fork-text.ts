/** Texts about a fork and its first session, for terminal, Markdown and exports. */
import type { Fork, ForkedFrom } from './fork.ts';
import type { ConversationRow, RunRow, WorkflowRow } from '../view.ts';

/** Note of a copied workflow. */
export const TAKEN_TEXT = 'Taken over from the session that this one was forked from: it is counted there';

/** Mark of a step that a fork has copied. */
export const COPIED_TEXT = 'copied, $0';

/** Returns the note of a workflow that went on from a step of another session; empty for any other. */
export function wentOnText({ from }: Pick<WorkflowRow, 'from'>): string[] {
  if (!from) return [];
  if (from.entry === undefined)
    return [
      `Runs a sub-agent again, run ${from.runId} in session ${from.conversationId}: what was done before it is copied and counted there, files stayed as they were`,
    ];
  const where = `step ${from.entry} of run ${from.runId} in session ${from.conversationId}`;
  return [`Went on from ${where}: what was done until there is copied and counted there, files stayed as they were`];
}

/** Returns the title. A fork that was not renamed has a title that names the first session. */
export function titleText({ title, from }: Pick<ConversationRow, 'title' | 'from'>): string {
  return from && title === from.title ? `Fork${forkPlace(from)} of “${title}”` : title;
}

function forkPlace({ step, entry = step?.entry, message }: ForkedFrom): string {
  if (entry !== undefined) return ` at step ${entry}`;
  return message === undefined ? '' : ` at message ${message}`;
}

/** Returns the note of a fork; empty for any other conversation. */
export function forkedFromText({ from }: Pick<ConversationRow, 'from'>): string[] {
  if (!from) return [];
  const at = `${from.step?.entry === undefined ? 'at' : 'at a step of'} workflow ${from.workflowId}`;
  const what = from.last === null && !from.step ? 'before its first message' : at;
  return [`Forked from session ${from.conversationId}, ${what}. The fork changed no file`];
}

/** Returns one line for each fork at a workflow, with its id. */
export function forksText({ forks }: Pick<WorkflowRow, 'forks'>): string[] {
  return (forks ?? []).map(({ conversationId, end, step }) =>
    step && step.entry === undefined
      ? `Run ${step.runId} again in session ${conversationId}`
      : `Forked ${step ? 'at a step of' : end === 'before' ? 'before' : 'after'} this: session ${conversationId}`,
  );
}

/** Returns the note of a rerun; empty for any other run. */
export function againText({ again }: Pick<RunRow, 'again'>): string[] {
  return again ? [`Run ${again.runId} of session ${again.conversationId} again`] : [];
}

/** Returns the forks in which a run started again, in order. */
export function listReruns({ forks }: Pick<WorkflowRow, 'forks'>, runId: string): Fork[] {
  return (forks ?? []).filter(({ step }) => step?.runId === runId && step.entry === undefined);
}
