/** Which places of a search are in a list of the history, as its filters have it: looked up in the index of that list. */
import type { Database } from '../database.ts';
import { executionListing, type Found, isListed, type Listing, workflowListing } from '../lists/lists.ts';
import type { WorkflowFacts } from '../lists/workflow-terms.ts';
import type { Search, Store } from '../store.ts';
import type { RunOfEntry } from './segment.ts';

/** Of these places those that are in the list. */
export type Narrow = <T extends { run: RunOfEntry }>(places: readonly T[]) => Promise<T[]>;

/** Null where the search is not narrowed. `unfinished`: see `archiveOf`. */
export async function narrowBy(
  database: Database,
  reads: Pick<Store, 'executionsOf'>,
  { workflows, executions }: Pick<Search, 'workflows' | 'executions'>,
  unfinished: () => Promise<WorkflowFacts[]>,
): Promise<Narrow | null> {
  if (executions) {
    const listing = executionListing(reads, executions, await unfinished());
    return narrow(database, listing, executions, ({ runId }) => runId);
  }
  if (!workflows || Object.keys(workflows).length === 0) return null;
  const listing = workflowListing(database, workflows, await unfinished());
  return narrow(database, listing, workflows, ({ workflowId }) => workflowId);
}

function narrow<T>(
  database: Database,
  { index, wanted, live }: Listing<T>,
  bounds: Parameters<typeof isListed>[1],
  idOf: (run: RunOfEntry) => string,
): Narrow {
  /** What was looked up, by id. */
  const known = new Map(live.map(({ id, terms, keys }) => [id, isListed(wanted, bounds, terms, keys)]));
  return async (places) => {
    const ids = [...new Set(places.map(({ run }) => idOf(run)))].filter((id) => !known.has(id));
    const records = ids.map((id) => database.record(index, id));
    const [rows] =
      ids.length === 0 ? [[]] : ((await database.query('SELECT * FROM $records', { records })) as [Found[]]);
    for (const { id, terms, ...keys } of rows) known.set(id.id, isListed(wanted, bounds, terms, keys));
    return places.filter(({ run }) => known.get(idOf(run)) === true);
  };
}
