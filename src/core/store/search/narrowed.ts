/** Which places of a search are in a list of the history, as its filters have it: looked up in the index of that list. */
import type { Database } from '../database.ts';
import type { Listing } from '../lists/list-reader.ts';
import { readIndexed } from '../lists/list-segments.ts';
import { type EntryBounds, makeFilterCheck, type WorkflowFacts } from '../lists/listing.ts';
import { makeListing } from '../lists/lists.ts';
import type { Search } from '../store.ts';
import type { RunOfEntry } from './segment.ts';

/** Of these places those that are in the list. */
export type Narrow = <T extends { run: RunOfEntry }>(places: readonly T[]) => Promise<T[]>;

/** Null where the search is not narrowed. `unfinished`: see `createHistoryReads`. */
export async function narrowBy(
  database: Database,
  { workflows, executions }: Pick<Search, 'workflows' | 'executions'>,
  unfinished: () => Promise<WorkflowFacts[]>,
): Promise<Narrow | null> {
  if (executions) return narrow(database, makeListing('execution', executions, await unfinished()), executions);
  if (!workflows || Object.keys(workflows).length === 0) return null;
  return narrow(database, makeListing('workflow', workflows, await unfinished()), workflows);
}

function narrow(database: Database, { list, wanted, live }: Listing, bounds: EntryBounds): Narrow {
  const matches = makeFilterCheck(wanted, bounds);
  /** Whether an entry is in the list, by id. */
  const known = new Map(live.map((entry) => [entry.id, matches(entry)]));
  const getId = ({ workflowId, runId }: RunOfEntry): string => (list === 'workflow' ? workflowId : runId);
  return async (places) => {
    const unknown = places.filter(({ run }) => !known.has(getId(run))).map(({ run }) => run.workflowId);
    for (const { entries } of (await readIndexed(database, [...new Set(unknown)])).values())
      for (const entry of entries[list]) if (!known.has(entry.id)) known.set(entry.id, matches(entry));
    return places.filter(({ run }) => known.get(getId(run)) === true);
  };
}
