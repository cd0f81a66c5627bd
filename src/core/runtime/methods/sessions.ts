/** The method of the Markdown files. */
import type { Engine } from '../../runs/engine.ts';
import { mustExist } from '../../base/errors.ts';
import { refuseInTrash } from '../../workflows/trash.ts';
import type { Handlers } from './handlers.ts';

export function sessionMethods({ store, sessions }: Engine): Pick<Handlers, 'conversation.project'> {
  return {
    'conversation.project': async ({ conversationId }) => {
      refuseInTrash(await mustExist(store.conversation(conversationId), `There is no conversation ${conversationId}`));
      return sessions.rebuild(conversationId);
    },
  };
}
