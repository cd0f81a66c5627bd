/** Goes back to before a message, or forth again: the context of the lead, and its files too if requested. */
import type { Undo, UndoneFile } from '#contract/change.ts';
import { mustExist } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { completeUndo, type UndoParts } from '../runs/undo/settle-undos.ts';
import { type RunExclusively, undo } from '../runs/undo/undo.ts';
import { loadMissingEvents } from '../runs/undo/undo-events.ts';
import { changesOf } from '../workspace/undo.ts';

interface RewindRequest {
  conversationId: string;
  workflowId: string;
  /** True excludes this workflow and later ones from the context of the lead. False includes them again. */
  left: boolean;
  /** Also undoes or redoes the changes of files. */
  files: boolean;
  /** Files in conflict stay as they are. */
  leave: boolean;
}

/** Does all of it or nothing, also after a kill. Returns the outcome of each file. */
export async function rewind(
  parts: UndoParts,
  { conversationId, workflowId, left, files, leave }: RewindRequest,
  exclusively: RunExclusively,
): Promise<UndoneFile[]> {
  const { store, workspaces } = parts;
  const { changes } = workspaces;
  const messages = { fromWorkflowId: workflowId, left };
  const target = { fromWorkflowId: workflowId };
  const { sets } = files ? await changes.of(conversationId) : { sets: [] };
  if (changesOf(sets, target).length > 0)
    return undo(parts, { conversationId, target, redo: !left, preview: false, leave, messages }, exclusively);
  const { folder } = await mustExist(store.conversation(conversationId), 'The conversation was deleted');
  const record: Undo = {
    id: newId(),
    conversationId,
    folder,
    at: new Date().toISOString(),
    calls: [],
    files: [],
    messages,
    takesBack: [],
    redone: !left,
  };
  await exclusively(conversationId, async () => {
    const events = await loadMissingEvents(parts, record);
    // A single event needs no record: it is stored as a whole.
    if (events.length > 1) await changes.startUndo(record, []);
    return completeUndo(parts, record, { events });
  });
  return [];
}
