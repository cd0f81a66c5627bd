/** What a person reads of an execution that was run again, at both ends of it, outside of the screens. */
import type { RunRow, WorkflowRow } from '../view.ts';

/** Empty for what is no execution again. */
export function againOfText({ again }: Pick<WorkflowRow | RunRow, 'again'>): string[] {
  if (!again) return [];
  return [`Run ${again.runId} of session ${again.conversationId} again, alone. Files stayed as they were`];
}

/** One line for each time that this execution was run again. */
export function againsText({ agains }: Pick<RunRow, 'agains'>): string[] {
  return (agains ?? []).map(({ conversationId }) => `Run again in session ${conversationId}`);
}
