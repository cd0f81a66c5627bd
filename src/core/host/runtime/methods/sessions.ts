/** The methods of the Markdown files: where they lie, and writing them again; and of the title that they show. */
import { mustExist } from '#core/base/errors.ts';
import { linkingNotes } from '../../records/sessions/linking-notes.ts';
import { keep } from '#core/workflows/keep.ts';
import { refuseInTrash } from '#core/workflows/trash.ts';
import type { Services } from '../services.ts';
import type { Handlers } from './handlers.ts';

export function sessionMethods({
  engine,
  sessions,
}: Pick<Services, 'engine' | 'sessions'>): Pick<
  Handlers,
  'conversation.project' | 'conversation.folder' | 'conversation.notes' | 'conversation.keep'
> {
  const { store } = engine;
  return {
    // To open it is the desktop's, which has the screen.
    'conversation.folder': async ({ conversationId }) => ({
      folder: await sessions.folderOf(
        await mustExist(store.conversation(conversationId), `There is no conversation ${conversationId}`),
      ),
      opens: false,
    }),
    'conversation.keep': async ({ conversationId, ...kept }) => {
      const row = () => mustExist(store.conversation(conversationId), `There is no conversation ${conversationId}`);
      await keep(engine, await row(), kept);
      // The files that are there show the title.
      if (kept.title !== undefined) sessions.renamed(conversationId);
      return row();
    },
    'conversation.notes': async ({ conversationId }) => {
      const row = await mustExist(store.conversation(conversationId), `There is no conversation ${conversationId}`);
      return { linking: await linkingNotes(engine, row, new AbortController().signal) };
    },
    'conversation.project': async ({ conversationId }) => {
      refuseInTrash(await mustExist(store.conversation(conversationId), `There is no conversation ${conversationId}`));
      return sessions.rebuild(conversationId);
    },
  };
}
