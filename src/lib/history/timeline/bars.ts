/** The bars of a lane as they are drawn, and the way from one to the next. Pure. */
import type { Bar, Interval, Lane } from '../waterfall.ts';
import type { Scale } from './scale.ts';
import type { Sight } from './zoom.ts';

/** What a bar opens: a request, a call, a question, or the queue of a run. As the address has it. */
export interface Chosen {
  runId: string;
  kind: 'request' | 'call' | 'ask' | 'queue';
  /** Of the request, the call or the question; empty for the queue. */
  id: string;
}

/** In percent of what is in sight. */
export interface DrawnBar {
  key: string;
  bar: Bar;
  left: number;
  width: number;
  /** Of a model's bar: the share of it until the first token; 0 where that is not known. */
  first: number;
}

/** Bars that begin within so much of what is in sight are one: nobody could tell them apart, or press one of them. */
const TOGETHER = 0.15;

/** Those in sight, in order of time. */
export function drawnBars({ bars }: Lane, scale: Scale, sight: Sight): DrawnBar[] {
  const width = sight.to - sight.from;
  const percent = (ms: number): number => ((scale.at(ms) - sight.from) / width) * 100;
  const drawn = bars
    .map((bar, index) => ({ bar, index, left: percent(bar.from), right: percent(bar.to) }))
    .filter(({ left, right }) => right >= 0 && left <= 100)
    .sort((a, b) => a.left - b.left || a.index - b.index);
  const last = new Map<Bar['kind'], number>();
  return drawn.flatMap(({ bar, index, left, right }) => {
    const before = last.get(bar.kind);
    if (before !== undefined && left - before < TOGETHER && right - left < TOGETHER) return [];
    last.set(bar.kind, left);
    const first = bar.firstTokenAt === null ? 0 : (percent(bar.firstTokenAt) - left) / Math.max(right - left, 1e-9);
    return [{ key: `${bar.kind} ${index}`, bar, left, width: right - left, first }];
  });
}

/** Where a span is drawn; in percent of what is in sight. */
export function placeOf({ from, to }: Interval, scale: Scale, sight: Sight): { left: number; width: number } {
  const width = sight.to - sight.from;
  const left = ((scale.at(from) - sight.from) / width) * 100;
  return { left, width: ((scale.at(to) - sight.from) / width) * 100 - left };
}

export function chosenBy(runId: string, { kind, requestId, toolCallId, approvalId }: Bar): Chosen {
  if (requestId !== null) return { runId, kind: 'request', id: requestId };
  if (approvalId !== null) return { runId, kind: 'ask', id: approvalId };
  return toolCallId !== null && kind !== 'queue'
    ? { runId, kind: 'call', id: toolCallId }
    : { runId, kind: 'queue', id: '' };
}

export function isChosen(chosen: Chosen | null, runId: string, bar: Bar): boolean {
  if (chosen === null || chosen.runId !== runId) return false;
  const own = chosenBy(runId, bar);
  return own.kind === chosen.kind && own.id === chosen.id;
}

/** The bar of another lane that is nearest in time; null where that has none. */
export function nearestBar(bars: readonly DrawnBar[], to: DrawnBar | undefined): DrawnBar | null {
  if (!to) return bars[0] ?? null;
  const middle = (of: DrawnBar): number => of.left + of.width / 2;
  const distance = (of: DrawnBar): number => Math.abs(middle(of) - middle(to));
  return bars.reduce<DrawnBar | null>((best, one) => (best && distance(best) <= distance(one) ? best : one), null);
}
