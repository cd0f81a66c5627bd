/** The history side of the store: what is found by filters and words, the trash, and the work behind the log. */
import { Background } from './background.ts';
import type { Database } from './database.ts';
import { facetValues } from './lists/facets.ts';
import { indexSome } from './lists/index-writer.ts';
import { foundWorkflows, newestWorkflows, trashed, unfinishedFacts } from './lists/lists.ts';
import { purgeSome } from './trash/purge.ts';
import { rebuild } from './rebuild.ts';
import { search } from './search/search.ts';
import { segmentSome } from './search/segment-writer.ts';
import type { Store } from './store.ts';
import { deletedBefore, hide, startPurge, unhide } from './trash/trash.ts';
import { termsOf, termsOfFilter } from './lists/workflow-terms.ts';

export type History = Pick<
  Store,
  | 'workflows'
  | 'facets'
  | 'search'
  | 'trashed'
  | 'trash'
  | 'restore'
  | 'purge'
  | 'purgeTrashedBefore'
  | 'settled'
  | 'rebuild'
>;
type Reads = Pick<
  Store,
  'runsOf' | 'callsOf' | 'unfinishedWorkflows' | 'conversation' | 'lastSeq' | 'events' | 'commit'
>;

/** Conversations that are purged at once. */
const PURGE = 50;

/** `ended` is told when a workflow has ended: there is something to do behind the log. */
export function historyOf(
  database: Database,
  reads: Reads,
): { history: History; ended: () => void; close: () => Promise<void> } {
  // Whether there may be anything to index: an empty queue is not looked at with every query.
  let stale = true;
  const index = async (): Promise<boolean> => {
    if (!stale) return false;
    stale = false;
    let some = true;
    try {
      some = (await segmentSome(database, reads.runsOf)) || (await indexSome(database, reads));
    } finally {
      // Also after a failure, and where a workflow has ended meanwhile.
      stale ||= some;
    }
    return some;
  };
  const behind = new Background(async () => (await index()) || (await purgeSome(database)));
  const ended = (): void => {
    stale = true;
    behind.due();
  };
  // What a process that has gone left to do.
  behind.due();
  /** Before a query that needs the index; what is being purged is hidden already. */
  const caughtUp = async (): Promise<void> => {
    while (await behind.exclusive(index));
  };
  const history: History = {
    workflows: async (query) => {
      const { sort = 'newest', from, to, minCostUsd } = query;
      const plain = sort === 'newest' && !from && !to && !minCostUsd && termsOfFilter(query).length === 0;
      if (plain || query.conversationId !== undefined) return newestWorkflows(database, query);
      await caughtUp();
      return foundWorkflows(database, query, await unfinishedFacts(reads));
    },
    facets: async () => {
      await caughtUp();
      return facetValues(database, (await unfinishedFacts(reads)).map(termsOf));
    },
    search: async (query) => {
      await caughtUp();
      return search(database, reads, query);
    },
    ...trashOf(database, reads, behind),
    settled: () => behind.settled(),
    rebuild: (onProgress, signal) =>
      behind.exclusive(() => rebuild(database, reads, onProgress, signal)).finally(ended),
  };
  return { history, ended, close: () => behind.close() };
}

function trashOf(
  database: Database,
  reads: Reads,
  behind: Background,
): Pick<History, 'trashed' | 'trash' | 'restore' | 'purge' | 'purgeTrashedBefore'> {
  const purge = async (id: string): Promise<boolean> => {
    const lastSeq = await reads.lastSeq(id);
    const started = await behind.exclusive(() => startPurge(database, id, lastSeq));
    behind.due();
    return started;
  };
  return {
    trashed: (page) => trashed(database, page),
    trash: (id, at) => behind.exclusive(() => hide(database, id, at)),
    restore: (id) => behind.exclusive(() => unhide(database, id)),
    purge,
    purgeTrashedBefore: async (at) => {
      let count = 0;
      for (;;) {
        const ids = await deletedBefore(database, at, PURGE);
        for (const id of ids) if (await purge(id)) count += 1;
        if (ids.length < PURGE) return count;
      }
    },
  };
}
