/** Runs that make a request outside of their turns: for a review of their answer, or a summary of their context. */

/** Ids of the runs, by what they request. */
export interface SideRequests {
  reviewing: readonly string[];
  compacting: readonly string[];
}

const LISTS = { review: 'reviewing', compaction: 'compacting' } as const;

/** Returns the view after the start (`isOpen`) or the end of a request. A request of a turn changes nothing. */
export function withSideRequest<V extends SideRequests>(
  view: V,
  { runId, purpose, isOpen }: { runId: string; purpose: string | undefined; isOpen: boolean },
): V {
  if (purpose !== 'review' && purpose !== 'compaction') return view;
  const list = LISTS[purpose];
  if (view[list].includes(runId) === isOpen) return view;
  const others = view[list].filter((id) => id !== runId);
  return { ...view, [list]: isOpen ? [...others, runId] : others };
}

/** Returns the view after the end of a run. */
export function withoutSideRequests<V extends SideRequests>(view: V, runId: string): V {
  const purposes = Object.keys(LISTS);
  return purposes.reduce((next, purpose) => withSideRequest(next, { runId, purpose, isOpen: false }), view);
}
