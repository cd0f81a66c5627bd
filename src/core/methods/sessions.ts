/** The method of the Markdown files. */
import type { Engine } from '../engine.ts';
import { mustExist } from '../errors.ts';
import { refuseInTrash } from '../trash.ts';
import type { Handlers } from './handlers.ts';

export function sessionMethods({ store, sessions }: Engine): Pick<Handlers, 'conversation.project'> {
  return {
    'conversation.project': async ({ conversationId }) => {
      refuseInTrash(await mustExist(store.conversation(conversationId), `There is no conversation ${conversationId}`));
      return sessions.rebuild(conversationId);
    },
  };
}
