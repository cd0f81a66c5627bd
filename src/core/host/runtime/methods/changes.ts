/** The methods about what agents changed in files, of going back to before a message, and of forking there. */
import type { Parsed } from '#contract/rpc.ts';
import type { ConversationRow } from '#contract/view.ts';
import { mustExist, TriadError } from '#core/base/errors.ts';
import { commitFiles, previewCommit } from '#core/runs/commit-files.ts';
import { loadChangeDiff, keepChange, keepFiles, loadChangeRows } from '#core/runs/undo/change-rows.ts';
import { undo } from '#core/runs/undo/undo.ts';
import { fork } from '#core/workflows/fork.ts';
import { prepareContinuation } from '#core/workflows/fork-continuation.ts';
import { rewind } from '#core/workflows/rewind.ts';
import { refuseInTrash } from '#core/workflows/trash.ts';
import type { Services } from '../services.ts';
import type { Handlers } from './handlers.ts';

type Mine =
  | ('change.list' | 'change.diff' | 'change.undo' | 'change.keep' | 'change.preview-commit' | 'change.commit')
  | ('conversation.rewind' | 'conversation.fork');

export function changeMethods({ engine, orchestrator, sessions }: Services): Pick<Handlers, Mine> {
  const present = async (conversationId: string) => {
    const found = engine.store.conversation(conversationId);
    const conversation = await mustExist(found, `There is no conversation ${conversationId}`);
    refuseInTrash(conversation);
    return conversation;
  };
  const forked = async (conversation: ConversationRow, asked: Parsed<'conversation.fork'>) => {
    if (!asked.goOn) return fork(engine, conversation, asked);
    const { workflowId, entry, approve } = asked;
    if (entry === undefined && asked.runId === undefined)
      throw new TriadError(
        'bad_input',
        'goOn needs the entry that the fork goes on from, or the run that starts again',
      );
    const row = await mustExist(engine.store.workflow(workflowId), `There is no workflow ${workflowId}`);
    const step = { runId: asked.runId ?? row.runId, entry };
    const after = await prepareContinuation({ engine, orchestrator }, row, { ...step, approve, conversation });
    return fork(engine, conversation, asked, { after });
  };
  return {
    'change.list': ({ conversationId }) => loadChangeRows(engine, conversationId),
    'change.diff': ({ conversationId, ...target }) => loadChangeDiff(engine, conversationId, target),
    'change.undo': async (asked) => {
      await present(asked.conversationId);
      return undo(engine, asked);
    },
    'change.keep': async ({ conversationId, target, kept }) => {
      await present(conversationId);
      await keepChange(engine, conversationId, target, kept);
      return {};
    },
    'change.preview-commit': async ({ conversationId }) => {
      const { folder } = await present(conversationId);
      return previewCommit(engine, folder);
    },
    'change.commit': async ({ conversationId, message, paths, programs }) => {
      const { folder } = await present(conversationId);
      const done = await commitFiles(engine, { folder, message, paths, programs });
      await keepFiles(engine, { conversationId, folder, paths });
      return done;
    },
    'conversation.fork': async (asked) => {
      const made = await forked(await present(asked.conversationId), asked);
      // Its files are written beside what is asked next; while it was made it was in the trash, which has none.
      void sessions.moved(made.id).catch(() => undefined);
      return made;
    },
    'conversation.rewind': async ({ conversationId, ...asked }) => {
      const done = await rewind(engine, await present(conversationId), asked, (id, work) =>
        orchestrator.whileIdle(id, work),
      );
      void sessions.moved(done.conversation.id).catch(() => undefined);
      return done;
    },
  };
}
