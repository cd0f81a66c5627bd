/** What runs do beside their turns, and how full their contexts are. */
import type { DurableEvent, RequestUsage } from '#contract/event.ts';
import { contextTokensOf } from '#contract/tally.ts';
import type { RunRow } from '#contract/view.ts';

type Event<T extends DurableEvent['type']> = Extract<DurableEvent, { type: T }>;

/** Ids of the runs that ask for a review, or for a summary of their context. */
export interface Asides {
  reviewing: readonly string[];
  compacting: readonly string[];
}

const LISTS = { review: 'reviewing', compaction: 'compacting' } as const;

/** `purpose`: of a request outside of the turns, which begins or (`now` false) has ended. */
export function aside<V extends Asides>(view: V, runId: string, purpose: string | undefined, now: boolean): V {
  if (purpose !== 'review' && purpose !== 'compaction') return view;
  const list = LISTS[purpose];
  if (view[list].includes(runId) === now) return view;
  const others = view[list].filter((id) => id !== runId);
  return { ...view, [list]: now ? [...others, runId] : others };
}

/** A run that has ended asks for nothing. */
export function withoutAside<V extends Asides>(view: V, runId: string): V {
  return aside(aside(view, runId, 'review', false), runId, 'compaction', false);
}

/** What a compaction, or its undo, says of its run's context. */
export function left({ entry }: Event<'compaction' | 'compaction-undo'>): Pick<RunRow, 'contextTokens'> {
  return { contextTokens: entry.undone ? entry.tokensBefore : entry.tokensAfter };
}

/** What the person is told of a run beside its transcript. */
export function noticed({ notices }: RunRow, { level, text, at }: Event<'notice'>): Pick<RunRow, 'notices'> {
  return { notices: [...(notices ?? []), { level, text, at }] };
}

/** What a request says of it. */
export function used(request: RequestUsage): Pick<RunRow, 'contextTokens'> {
  const contextTokens = contextTokensOf(request);
  return contextTokens === null ? {} : { contextTokens };
}
