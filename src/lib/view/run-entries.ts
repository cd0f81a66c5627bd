/** What runs said, by run. A map costs a long conversation little where one run of thousands says more. Pure. */
import type { Entry } from '#contract/message.ts';
import type { Snapshot } from '#contract/view.ts';

/** Each list in order; of runs that have any entry. */
export type RunEntries = ReadonlyMap<string, readonly Entry[]>;

export function entriesIn(stored: Snapshot['entries']): Map<string, readonly Entry[]> {
  return new Map(Object.entries(stored).filter(([, list]) => list.length > 0));
}

export function putEntry(entries: RunEntries, runId: string, entry: Entry): RunEntries {
  const list = entries.get(runId) ?? [];
  // Behind the last that comes before it, which is nearly always the last of all.
  const at = list.findLastIndex(({ n }) => n < entry.n) + 1;
  const next = list[at]?.n === entry.n ? list.with(at, entry) : list.toSpliced(at, 0, entry);
  return new Map(entries).set(runId, next);
}
