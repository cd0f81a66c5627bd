/** Finding and removing what is stored: filters, search, trash, rebuild, and the background work that they need. */
import { IdleWorker } from './idle-worker.ts';
import type { Database } from './database.ts';
import { daysOf } from './lists/days.ts';
import { facetValues } from './lists/facets.ts';
import { figuresOfExecution, figuresOfWorkflow } from './lists/figures.ts';
import { indexSome, queued } from './lists/index-writer.ts';
import { executionFacet, termsOfExecution } from './lists/execution-terms.ts';
import {
  executionListing,
  executionsIn,
  foundIn,
  newestWorkflows,
  notedWorkflows,
  trashed,
  unfinishedFacts,
  workflowListing,
} from './lists/lists.ts';
import { purgeSome } from './trash/purge.ts';
import { rebuild } from './rebuild.ts';
import { narrowBy } from './search/narrowed.ts';
import { search } from './search/search.ts';
import { segmentSome } from './search/segment-writer.ts';
import type { Store, Vectors } from './store.ts';
import { deletedBefore, moveToTrash, restoreFromTrash, startPurge } from './trash/trash.ts';
import { termsOf, termsOfFilter, type WorkflowFacts } from './lists/workflow-terms.ts';

export type Archive = Pick<
  Store,
  | 'workflows'
  | 'facets'
  | 'workflowDays'
  | 'executionDays'
  | 'notedWorkflows'
  | 'executions'
  | 'executionFacets'
  | 'search'
  | 'trashed'
  | 'trash'
  | 'restore'
  | 'purge'
  | 'trashedBefore'
  | 'settled'
  | 'rebuild'
>;
type Reads = Pick<
  Store,
  'runsOf' | 'callsOf' | 'executionsOf' | 'unfinishedWorkflows' | 'conversation' | 'lastSeq' | 'events' | 'commit'
>;

/** The store as the last flush left it: reading it waits for no commit, of which a flood has one after the other. */
interface Written {
  database: Database;
  reads: Pick<Store, 'runsOf' | 'callsOf'>;
  vectors: Vectors;
}

/** The caller calls `ended` after a commit that ends workflows, with their number, which schedules their indexing. */
export function archiveOf(
  database: Database,
  reads: Reads,
  written: Written,
): { archive: Archive; ended: (workflows: number) => void; close: () => Promise<void> } {
  // Whether the index queue may be non-empty; saves a look at it before each query.
  let stale = true;
  const index = async (): Promise<number> => {
    if (!stale) return 0;
    stale = false;
    let some = 1;
    try {
      some = (await segmentSome(written.database, written.reads.runsOf))
        ? 1
        : await indexSome(written.database, written.reads, () => queued(database));
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
  const archive: Archive = {
    ...listsOf(database, reads, unfinished),
    notedWorkflows: async (folder, limit) => {
      await caughtUp();
      return notedWorkflows(written.database, folder, limit);
    },
    search: async (query) => {
      const narrow = await narrowBy(database, reads, query, unfinished);
      await caughtUp();
      return search(database, reads, query, narrow);
    },
    ...trashOf(database, reads, worker, written.vectors),
    settled: () => worker.settled(),
    rebuild: (onProgress, signal) =>
      worker.exclusive(() => rebuild(database, reads, onProgress, signal)).finally(() => ended()),
  };
  return { archive, ended, close: () => worker.close() };
}

/** `unfinished`: see `archiveOf`. */
function listsOf(
  database: Database,
  reads: Reads,
  unfinished: () => Promise<WorkflowFacts[]>,
): Pick<Archive, 'workflows' | 'facets' | 'executions' | 'executionFacets' | 'workflowDays' | 'executionDays'> {
  return {
    workflows: async (query) => {
      const { sort = 'newest', from, to, minCostUsd } = query;
      const plain = sort === 'newest' && !from && !to && !minCostUsd && termsOfFilter(query).length === 0;
      if (plain || query.conversationId !== undefined) return newestWorkflows(database, query);
      return foundIn(database, query, workflowListing(database, query, await unfinished()));
    },
    workflowDays: async ({ by, ...query }) => {
      const facts = await unfinished();
      const live = facts.map(({ workflow, runs }) => ({
        ...{ id: workflow.id, createdAt: workflow.createdAt, figures: figuresOfWorkflow(workflow, runs) },
      }));
      const listing = workflowListing(database, query, facts);
      return daysOf(database, { query, listing, live, group: 'all', by });
    },
    executionDays: async (query) => {
      const facts = await unfinished();
      const live = executionsIn(facts).map((run) => ({
        ...{ id: run.id, createdAt: run.queuedAt, figures: figuresOfExecution(run) },
      }));
      const listing = executionListing(reads, query, facts);
      return daysOf(database, { query, listing, live, group: 'execution' });
    },
    executions: async (query) => foundIn(database, query, executionListing(reads, query, await unfinished())),
    facets: async () => {
      const running = (await unfinished()).map(termsOf);
      const found = await facetValues(database, running, ['agent', 'model', 'tool', 'folder']);
      return { agents: found.agent, models: found.model, tools: found.tool, folders: found.folder };
    },
    executionFacets: async () => {
      const running = executionsIn(await unfinished()).map(termsOfExecution);
      const [agent, model] = [executionFacet('agent'), executionFacet('model')];
      const found = await facetValues(database, running, [agent, model]);
      return { agents: found[agent], models: found[model] };
    },
  };
}

function trashOf(
  database: Database,
  reads: Reads,
  worker: IdleWorker,
  vectors: Vectors,
): Pick<Archive, 'trashed' | 'trash' | 'restore' | 'purge' | 'trashedBefore'> {
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
    restore: (id) => worker.exclusive(() => restoreFromTrash(database, id)),
    purge,
    trashedBefore: (at, limit) => deletedBefore(database, at, limit),
  };
}
