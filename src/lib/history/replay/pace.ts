/** How the time of a workflow passes when it is played: as it was, with its waits folded to an instant. Pure. */
import type { DurableEvent } from '#contract/event.ts';
import type { View } from '#lib/view/reduce.ts';
import { spentOf } from '../timeline/causes.ts';
import { type Fold, type Scale, scaleOf } from '../timeline/scale.ts';
import { type Interval, lanesOf } from '../waterfall.ts';

export const SPEEDS = [1, 2, 5, 10, 20] as const;
export type Speed = (typeof SPEEDS)[number];

/** A folded wait takes no longer than this, at 1×, in milliseconds; a shorter one is not folded. */
const NOTCH_MS = 1500;

/** When each event happened, in milliseconds since 1970: never before the one that it follows, even if a clock was set back. */
export function timesOf(events: readonly DurableEvent[]): number[] {
  let last = -Infinity;
  return events.map(({ at }) => (last = Math.max(last, Date.parse(at))));
}

/** The waits in which nothing worked. `view`: after all events. */
export function foldsIn(view: View, events: readonly DurableEvent[], span: Interval): Fold[] {
  const [workflow] = view.workflows;
  if (!workflow) return [];
  const requests = events.flatMap((event) =>
    event.type === 'usage' ? [{ ...event.request, runId: event.runId }] : [],
  );
  const { runs, calls, approvals, entries } = view;
  const lanes = lanesOf({ workflow, runs, calls, approvals, requests }, entries, span.to);
  return spentOf(span, lanes, requests).gaps.filter(({ from, to }) => to - from > NOTCH_MS);
}

export function paceOf(span: Interval, folds: readonly Fold[]): Scale {
  return scaleOf(span, folds, NOTCH_MS);
}

/** How many of these times have come. */
export function countAt(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
