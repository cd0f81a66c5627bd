/** The methods of the trash: delete, restore and purge. */
import { mustExist, TriadError } from '#core/base/errors.ts';
import { DAY_MS, purge } from '#core/workflows/trash.ts';
import type { Services } from '../services.ts';
import type { Handlers } from './handlers.ts';

type Mine = ('conversation.delete' | 'conversation.restore' | 'conversation.purge') | ('trash.list' | 'trash.fill');

/** Conversations read in one page. */
const PAGE = 100;

export function trashMethods({ engine, orchestrator, approvals, sessions }: Services): Pick<Handlers, Mine> {
  const { store, log, workspaces, earlierLeads } = engine;
  const conversation = (id: string) => mustExist(store.conversation(id), `There is no conversation ${id}`);
  const busy = () => new TriadError('conflict', 'Something runs or waits in this conversation: stop it first');
  const notInTrash = () => new TriadError('conflict', 'This conversation is not in the trash');

  /** Moves it to the trash between two commits. Rejects with `conflict` if work runs in it or it is in the trash. */
  const remove = async (id: string): Promise<void> => {
    await conversation(id);
    await log.exclusive(id, async () => {
      if (orchestrator.isBusy(id)) throw busy();
      if (!(await store.trash(id, new Date().toISOString())))
        throw new TriadError('conflict', 'This conversation is in the trash already');
      // A message accepted meanwhile takes precedence.
      if (!orchestrator.isBusy(id)) return;
      await store.restore(id);
      throw busy();
    });
  };

  /** Ignores errors: the next projection, or the purge, tries again. */
  const moved = (id: string): Promise<void> => sessions.moved(id).catch(() => undefined);
  return {
    'trash.list': (page) => store.trashed(page),
    'conversation.delete': async ({ conversationId }) => {
      await remove(conversationId);
      await moved(conversationId);
      await approvals.refresh();
      return {};
    },
    'conversation.restore': async ({ conversationId }) => {
      const { from } = await conversation(conversationId);
      if (from?.whole === false)
        throw new TriadError('conflict', 'Triad ended while this was forked, so it is not whole: fork it again');
      if (!(await store.restore(conversationId))) throw notInTrash();
      await moved(conversationId);
      await approvals.refresh();
      return {};
    },
    'conversation.purge': async ({ conversationId }) => {
      await conversation(conversationId);
      await log.exclusive(conversationId, async () => {
        if (orchestrator.isBusy(conversationId)) throw busy();
        // Files first: if they cannot be removed, nothing is purged.
        if ((await conversation(conversationId)).deletedAt) await sessions.moved(conversationId);
        if (!(await purge(store, workspaces.changes, conversationId))) throw notInTrash();
        earlierLeads.forget(conversationId);
      });
      return {};
    },
    'trash.fill': async ({ olderThanDays }) => {
      const unchangedSince = new Date(Date.now() - olderThanDays * DAY_MS).toISOString();
      let count = 0;
      for await (const id of unchangedConversations(store, unchangedSince))
        count += (await isDone(remove(id).then(() => moved(id)))) ? 1 : 0;
      await approvals.refresh();
      return { count };
    },
  };
}

/** False if it was rejected: work runs in it, or it is in the trash already. */
function isDone(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

async function* unchangedConversations(
  store: Services['engine']['store'],
  unchangedSince: string,
): AsyncGenerator<string> {
  let before: string | undefined;
  do {
    const { items, next } = await store.conversations({ before, limit: PAGE, unchangedSince });
    for (const { id } of items) yield id;
    before = next ?? undefined;
  } while (before !== undefined);
}
