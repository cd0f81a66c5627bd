/** The contexts of agents in the view: how full they are, and which are being summarised. */
import type { DurableEvent, RequestUsage } from '#contract/event.ts';
import { contextTokensOf } from '#contract/tally.ts';
import type { View } from './reduce.ts';

type Compacted = Extract<DurableEvent, { type: 'compaction' | 'compaction-undo' }>;

export function compacted(view: View, { runId, entry }: Compacted): View {
  const contextTokens = entry.undone ? entry.tokensBefore : entry.tokensAfter;
  return { ...view, runs: view.runs.map((run) => (run.id === runId ? { ...run, contextTokens } : run)) };
}

export function compacting(view: View, runId: string, now: boolean): View {
  if (view.compacting.includes(runId) === now) return view;
  const others = view.compacting.filter((id) => id !== runId);
  return { ...view, compacting: now ? [...others, runId] : others };
}

/** What a request says of its run's context. */
export function used(request: RequestUsage): { contextTokens?: number } {
  const contextTokens = contextTokensOf(request);
  return contextTokens === null ? {} : { contextTokens };
}
