/** Which places of a search are in a list of the history, as its filters have it: looked up in the index of that list. */
import type { Database } from '../database.ts';
import { executionListing, type Listing, unfinishedFacts, workflowListing } from '../lists/lists.ts';
import { type IndexKeys, matchesFilter } from '../lists/workflow-terms.ts';
import type { Search, Store } from '../store.ts';
import type { RunOfEntry } from './segment.ts';

type Reads = Pick<Store, 'unfinishedWorkflows' | 'runsOf' | 'callsOf' | 'conversation' | 'executionsOf'>;
type Bounds = Parameters<typeof matchesFilter>[0];

/** Of these places those that are in the list. */
export type Narrow = <T extends { run: RunOfEntry }>(places: readonly T[]) => Promise<T[]>;

/** Null where the search is not narrowed. */
export async function narrowBy(
  database: Database,
  reads: Reads,
  { workflows, executions }: Pick<Search, 'workflows' | 'executions'>,
): Promise<Narrow | null> {
  if (executions) {
    const listing = executionListing(reads, executions, await unfinishedFacts(reads));
    return narrow(database, listing, executions, ({ runId }) => runId);
  }
  if (!workflows || Object.keys(workflows).length === 0) return null;
  const listing = workflowListing(database, workflows, await unfinishedFacts(reads));
  return narrow(database, listing, workflows, ({ workflowId }) => workflowId);
}

type Indexed = IndexKeys & { id: { id: string }; terms: string[] };

function narrow<T>(
  database: Database,
  { index, wanted, live }: Listing<T>,
  bounds: Bounds,
  idOf: (run: RunOfEntry) => string,
): Narrow {
  const fits = (terms: readonly string[], keys: IndexKeys): boolean =>
    wanted.every((one) => terms.includes(one)) && matchesFilter(bounds, keys);
  /** What was looked up, by id. */
  const known = new Map(live.map(({ id, terms, keys }) => [id, fits(terms, keys)]));
  return async (places) => {
    const ids = [...new Set(places.map(({ run }) => idOf(run)))].filter((id) => !known.has(id));
    const records = ids.map((id) => database.record(index, id));
    const [rows] =
      ids.length === 0 ? [[]] : ((await database.query('SELECT * FROM $records', { records })) as [Indexed[]]);
    for (const { id, terms, ...keys } of rows) known.set(id.id, fits(terms, keys));
    return places.filter(({ run }) => known.get(idOf(run)) === true);
  };
}
