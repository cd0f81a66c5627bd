/** The earlier conversations in which a note of a folder was read or written: for a lead alone to know. */
import type { Store } from '../store/store.ts';
import type { NoteSession } from '../tools/tool.ts';

/** So many of the newest workflows of the folder are looked at. */
const WORKFLOWS = 100;

/** By the note's path, newest first; without this conversation, and without those in the trash. */
export async function noteSessions(
  store: Pick<Store, 'notedWorkflows' | 'conversation'>,
  { folder, conversationId }: { folder: string; conversationId: string },
): Promise<ReadonlyMap<string, readonly NoteSession[]>> {
  const noted = (await store.notedWorkflows(folder, WORKFLOWS)).filter(
    ({ workflow }) => workflow.conversationId !== conversationId,
  );
  const ids = [...new Set(noted.map(({ workflow }) => workflow.conversationId))];
  const rows = await Promise.all(ids.map((id) => store.conversation(id)));
  const titles = new Map(rows.flatMap((row) => (row ? [[row.id, row.title] as const] : [])));
  const sessions = new Map<string, NoteSession[]>();
  for (const { workflow, notes } of noted) {
    const id = workflow.conversationId;
    const title = titles.get(id);
    for (const note of title === undefined ? [] : notes) {
      const known = sessions.get(note) ?? [];
      if (!known.some((session) => session.id === id)) known.push({ id, title: title ?? '' });
      sessions.set(note, known);
    }
  }
  return sessions;
}
