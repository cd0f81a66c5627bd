/** The method that writes the Markdown files again. */
import { mustExist } from '../../base/errors.ts';
import { refuseInTrash } from '../../workflows/trash.ts';
import type { Services } from '../services.ts';
import type { Handlers } from './handlers.ts';

export function sessionMethods({
  engine: { store },
  sessions,
}: Pick<Services, 'engine' | 'sessions'>): Pick<Handlers, 'conversation.project'> {
  return {
    'conversation.project': async ({ conversationId }) => {
      refuseInTrash(await mustExist(store.conversation(conversationId), `There is no conversation ${conversationId}`));
      return sessions.rebuild(conversationId);
    },
  };
}
