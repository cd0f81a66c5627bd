/** Runs that wait for their turn at the provider, which takes so many requests at a time. Pure. */
import type { DurableEvent } from '#contract/event.ts';

interface Waiting {
  /** By run id: how many requests the provider takes at a time. */
  turns: Readonly<Record<string, number>>;
}

export function turnBegun<V extends Waiting>(
  view: V,
  { runId, atATime }: Extract<DurableEvent, { type: 'turn-start' }>,
): V {
  if (atATime === undefined) return withoutTurn(view, runId);
  return { ...view, turns: { ...view.turns, [runId]: atATime } };
}

/** Its request is sent, or will not be. */
export function withoutTurn<V extends Waiting>(view: V, runId: string): V {
  if (!(runId in view.turns)) return view;
  return { ...view, turns: Object.fromEntries(Object.entries(view.turns).filter(([id]) => id !== runId)) };
}
