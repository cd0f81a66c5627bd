/** The methods of the history: lists, search, the trash and export. */
import type { MethodName } from '#contract/rpc.ts';
import type { Engine } from '../engine.ts';
import { mustExist, TriadError } from '../errors.ts';
import { exportConversation } from '../export/export.ts';
import type { Handlers } from './handlers.ts';
import type { Orchestrator } from '../orchestrator.ts';
import { DAY_MS } from '../trash.ts';

type Mine = Extract<
  MethodName,
  | 'workflow.list'
  | 'workflow.facets'
  | 'history.search'
  | 'conversation.delete'
  | 'conversation.restore'
  | 'conversation.purge'
  | 'conversation.export'
  | 'trash.list'
  | 'trash.fill'
>;

export interface HistoryPorts {
  engine: Pick<Engine, 'store' | 'log'>;
  orchestrator: Pick<Orchestrator, 'active'>;
  version: string;
}

/** Conversations that are looked at together. */
const PAGE = 100;

export function historyMethods({ engine, orchestrator, version }: HistoryPorts): Pick<Handlers, Mine> {
  const { store, log } = engine;
  const conversation = (id: string) => mustExist(store.conversation(id), `There is no conversation ${id}`);
  const isBusy = (id: string) => orchestrator.active().some(({ conversationId }) => conversationId === id);
  const busy = () =>
    new TriadError('conflict', 'Something runs or waits in this conversation: stop it first');
  const notInTrash = () => new TriadError('conflict', 'This conversation is not in the trash');

  /** Between two commits, so that nothing of it is on its way to the store. */
  const remove = async (id: string): Promise<void> => {
    await conversation(id);
    await log.exclusive(id, async () => {
      if (isBusy(id)) throw busy();
      if (!(await store.trash(id, new Date().toISOString())))
        throw new TriadError('conflict', 'This conversation is in the trash already');
      // A message that was accepted meanwhile comes first.
      if (!isBusy(id)) return;
      await store.restore(id);
      throw busy();
    });
  };

  return {
    'workflow.list': (query) => store.workflows(query),
    'workflow.facets': () => store.facets(),
    'history.search': (query) => store.search(query),
    'trash.list': (page) => store.trashed(page),
    'conversation.delete': async ({ conversationId }) => {
      await remove(conversationId);
      return {};
    },
    'conversation.restore': async ({ conversationId }) => {
      await conversation(conversationId);
      if (!(await store.restore(conversationId))) throw notInTrash();
      return {};
    },
    'conversation.purge': async ({ conversationId }) => {
      await conversation(conversationId);
      await log.exclusive(conversationId, async () => {
        if (isBusy(conversationId)) throw busy();
        if (!(await store.purge(conversationId))) throw notInTrash();
      });
      return {};
    },
    'conversation.export': async ({ conversationId, format }) =>
      exportConversation(store, await conversation(conversationId), { format, version }),
    'trash.fill': async ({ olderThanDays }) => {
      const unchangedSince = new Date(Date.now() - olderThanDays * DAY_MS).toISOString();
      let count = 0;
      for await (const id of unchangedConversations(store, unchangedSince)) {
        // One in which something runs stays, as does one that somebody else was faster with.
        count += await remove(id).then(
          () => 1,
          () => 0,
        );
      }
      return { count };
    },
  };
}

async function* unchangedConversations(
  store: Engine['store'],
  unchangedSince: string,
): AsyncGenerator<string> {
  let before: string | undefined;
  do {
    const { items, next } = await store.conversations({ before, limit: PAGE, unchangedSince });
    for (const { id } of items) yield id;
    before = next ?? undefined;
  } while (before !== undefined);
}
