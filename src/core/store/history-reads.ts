/** Finding and removing what is stored: filters, search, trash, and the background work that they need. */
import type { Parsed } from '#contract/rpc.ts';
import { IdleWorker } from './idle-worker.ts';
import type { Database } from './database.ts';
import { daysOf } from './lists/days.ts';
import { indexSome, queued } from './lists/index-writer.ts';
import { writeListSegment } from './lists/list-segments.ts';
import {
  makeListing,
  newestWorkflows,
  notedWorkflows,
  readPage,
  trashed,
  unfinishedFacts,
  workflowRows,
} from './lists/lists.ts';
import { facetValues } from './lists/totals.ts';
import { type ListName, getEntries, getFilterTerms, nameFacet, type WorkflowFacts } from './lists/listing.ts';
import { purgeSome } from './trash/purge.ts';
import { narrowBy } from './search/narrowed.ts';
import { search } from './search/search.ts';
import { segmentSome } from './search/segment-writer.ts';
import type { Search, Store, Vectors } from './store.ts';
import { deletedBefore, moveToTrash, restoreFromTrash, startPurge } from './trash/trash.ts';

export type HistoryReads = ReturnType<typeof createHistoryReads>['history'];
type Reads = Pick<Store, 'runsOf' | 'callsOf' | 'executionsOf' | 'unfinishedWorkflows' | 'conversation' | 'lastSeq'>;

/** The store as the last flush left it: reading it waits for no commit, of which a flood has one after the other. */
interface Written {
  database: Database;
  reads: Pick<Store, 'callsOf'>;
  vectors: Vectors;
}

/** The caller calls `ended` after a commit that ends workflows, with their number, which schedules their indexing. */
export function createHistoryReads(database: Database, reads: Reads, written: Written) {
  // Whether the index queue may be non-empty; saves a look at it before each query.
  let stale = true;
  const index = async (): Promise<number> => {
    if (!stale) return 0;
    stale = false;
    let some = 1;
    try {
      const hasSegment = (await segmentSome(written.database)) || (await writeListSegment(written.database));
      some = hasSegment ? 1 : await indexSome(written.database, written.reads, () => queued(database));
    } finally {
      // Stays true after a failure, and if a workflow ended meanwhile.
      stale ||= some > 0;
    }
    return some;
  };
  const worker = new IdleWorker(async () => (await index()) || Number(await purgeSome(database)));
  const ended = (workflows = 1): void => {
    stale = true;
    worker.schedule(workflows);
  };
  // Finishes what a previous process left.
  worker.schedule();
  /** Brings the index up to date before a query. Conversations being purged are hidden already. */
  const caughtUp = async (): Promise<void> => {
    while ((await worker.exclusive(index)) > 0);
  };
  /** Unfinished workflows, and the index up to date with all others. Read first: one that ends meanwhile is in both. */
  const unfinished = async (): Promise<WorkflowFacts[]> => {
    const facts = await unfinishedFacts(reads);
    await caughtUp();
    return facts;
  };
  const still: Still = (read) => worker.exclusive(read);
  const history = {
    ...listsOf(database, reads, unfinished, still),
    notedWorkflows: async (folder: string, limit: number) => {
      await caughtUp();
      return still(() => notedWorkflows(written.database, folder, limit));
    },
    search: async (query: Search) => {
      const narrow = await narrowBy(database, query, unfinished);
      await caughtUp();
      return search(database, reads, query, narrow);
    },
    ...trashOf(database, reads, worker, { vectors: written.vectors, onRestore: ended }),
    settled: () => worker.settled(),
  };
  return { history, ended, close: () => worker.close() };
}

/** Reads while nothing writes the index. */
type Still = <T>(read: () => Promise<T>) => Promise<T>;

/** `unfinished`: see `createHistoryReads`. */
function listsOf(
  database: Database,
  reads: Reads,
  unfinished: () => Promise<WorkflowFacts[]>,
  still: Still,
): Pick<Store, 'workflows' | 'facets' | 'executions' | 'executionFacets' | 'workflowDays' | 'executionDays'> {
  const executionRows = async (ids: readonly string[]) =>
    new Map((await reads.executionsOf(ids)).map((row) => [row.id, row]));
  const days = async (list: ListName, { by, ...query }: Parsed<'workflow.days'>) => {
    const facts = await unfinished();
    const listing = makeListing(list, query, facts);
    const ids = facts.map(({ workflow }) => workflow.id);
    const group = list === 'workflow' ? 'all' : list;
    return still(() => daysOf(database, { query, listing, unfinished: ids, group, by }));
  };
  const values = async <F extends string>(list: ListName, facets: readonly F[]) => {
    const running = (await unfinished()).flatMap((facts) => getEntries(facts)[list]);
    return facetValues(
      database,
      running.map(({ terms }) => terms),
      facets,
    );
  };
  return {
    workflows: async (query) => {
      const { sort = 'newest', from, to, minCostUsd } = query;
      const isPlain =
        sort === 'newest' && !from && !to && !minCostUsd && getFilterTerms('workflow', query).length === 0;
      if (isPlain || query.conversationId !== undefined) return newestWorkflows(database, query);
      const listing = makeListing('workflow', query, await unfinished());
      return still(() => readPage(database, listing, query, (ids) => workflowRows(database, ids)));
    },
    executions: async (query) => {
      const listing = makeListing('execution', query, await unfinished());
      return still(() => readPage(database, listing, query, executionRows));
    },
    workflowDays: (query) => days('workflow', query),
    executionDays: (query) => days('execution', query),
    facets: async () => {
      const found = await values('workflow', ['agent', 'model', 'tool', 'folder']);
      return { agents: found.agent, models: found.model, tools: found.tool, folders: found.folder };
    },
    executionFacets: async () => {
      const [agent, model] = [nameFacet('execution', 'agent'), nameFacet('execution', 'model')];
      const found = await values('execution', [agent, model]);
      return { agents: found[agent] ?? [], models: found[model] ?? [] };
    },
  };
}

function trashOf(
  database: Database,
  reads: Reads,
  worker: IdleWorker,
  { vectors, onRestore }: { vectors: Vectors; onRestore: () => void },
): Pick<Store, 'trashed' | 'trash' | 'restore' | 'purge' | 'trashedBefore'> {
  const purge = async (id: string): Promise<boolean> => {
    // First: once it has begun to go, nothing would look for them again after a kill.
    await vectors.forget(id);
    const lastSeq = await reads.lastSeq(id);
    const started = await worker.exclusive(() => startPurge(database, id, lastSeq));
    worker.schedule();
    return started;
  };
  return {
    trashed: (page) => trashed(database, page),
    trash: async (id, at) => {
      const moved = await worker.exclusive(() => moveToTrash(database, id, at));
      // What its reports say is not searched any more; made again where it is restored.
      if (moved) await vectors.forget(id);
      return moved;
    },
    restore: async (id) => {
      const isRestored = await worker.exclusive(() => restoreFromTrash(database, id));
      // Its entries are in no segment.
      if (isRestored) onRestore();
      return isRestored;
    },
    purge,
    trashedBefore: (at, limit) => deletedBefore(database, at, limit),
  };
}
