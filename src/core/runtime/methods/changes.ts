/** The methods about what agents changed in files, and of going back to before a message. */
import { mustExist } from '../../base/errors.ts';
import { commitFiles } from '../../runs/commit-files.ts';
import { changeDiff, changeRows, keepChange, keepFiles, undo } from '../../runs/undo.ts';
import { rewind } from '../../workflows/rewind.ts';
import { refuseInTrash } from '../../workflows/trash.ts';
import type { Services } from '../services.ts';
import type { Handlers } from './handlers.ts';

type Mine = ('change.list' | 'change.diff' | 'change.undo' | 'change.keep' | 'change.commit') | 'conversation.rewind';

export function changeMethods({ engine, orchestrator }: Services): Pick<Handlers, Mine> {
  const present = async (conversationId: string) => {
    const found = engine.store.conversation(conversationId);
    const conversation = await mustExist(found, `There is no conversation ${conversationId}`);
    refuseInTrash(conversation);
    return conversation;
  };
  return {
    'change.list': ({ conversationId }) => changeRows(engine, conversationId),
    'change.diff': ({ conversationId, ...target }) => changeDiff(engine, conversationId, target),
    'change.undo': async (asked) => {
      await present(asked.conversationId);
      return undo(engine, asked);
    },
    'change.keep': async ({ conversationId, target, kept }) => {
      await present(conversationId);
      await keepChange(engine, conversationId, target, kept);
      return {};
    },
    'change.commit': async ({ conversationId, message, paths }) => {
      const { folder } = await present(conversationId);
      const done = await commitFiles(engine, { folder, message, paths });
      await keepFiles(engine, { conversationId, folder, paths });
      return done;
    },
    'conversation.rewind': async (asked) => {
      await present(asked.conversationId);
      await orchestrator.whileIdle(asked.conversationId, () => rewind(engine, asked));
      return {};
    },
  };
}
