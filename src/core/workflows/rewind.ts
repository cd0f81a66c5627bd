/** Rewinds a conversation to before a message: forks it there, and undoes the files that agents changed since. */
import type { UndoneFile } from '#contract/change.ts';
import type { ConversationRow } from '#contract/view.ts';
import type { Engine } from '../runs/engine.ts';
import { type RunExclusively, undo } from '../runs/undo/undo.ts';
import { changesOf } from '../workspace/undo.ts';
import { fork } from './fork.ts';

interface RewindRequest {
  workflowId: string;
  /** True: leaves files in conflict unchanged, and undoes the others. */
  leave: boolean;
}

/**
 * Forks and undoes the files, or does neither. The files are undone before the fork leaves the trash. After a kill in
 * between, there is no fork, and the undo can be reversed.
 */
export async function rewind(
  engine: Engine,
  conversation: ConversationRow,
  { workflowId, leave }: RewindRequest,
  exclusively: RunExclusively,
): Promise<{ conversation: ConversationRow; files: UndoneFile[] }> {
  const { id: conversationId } = conversation;
  const target = { fromWorkflowId: workflowId };
  let files: UndoneFile[] = [];
  const undoFiles = async (): Promise<void> => {
    const { sets } = await engine.workspaces.changes.of(conversationId);
    if (changesOf(sets, target).length > 0)
      files = await undo(engine, { conversationId, target, redo: false, preview: false, leave }, exclusively);
    // Refuses a conversation in which work runs, because the work could still change a file.
    else await exclusively(conversationId, () => Promise.resolve({ stored: Promise.resolve() }));
  };
  const made = await fork(engine, conversation, { workflowId, end: 'before' }, { prepare: undoFiles });
  return { conversation: made, files };
}
