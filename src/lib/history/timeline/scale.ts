/** Places on the axis of a workflow: its time from left to right, from 0 to 1, with its waits folded to notches. Pure. */
import { timeStep } from '#lib/view/ticks.ts';
import type { Interval } from '../waterfall.ts';
import type { Spent, Wait } from './causes.ts';

/** A wait that is drawn shorter than it was. */
export interface Fold extends Interval {
  parts: readonly Wait[];
}

export interface Scale {
  /** From 0 to 1. */
  at: (ms: number) => number;
  /** What is at a place, the other way around. */
  moment: (place: number) => number;
  /** All of it as it is shown, in milliseconds. */
  length: number;
  folds: readonly Fold[];
  /** Round times within a part of the axis, at most so many: how long after the beginning, without what is folded. */
  ticks: (from: number, to: number, count: number) => { ms: number; at: number }[];
}

/** A notch is so wide, as a share of the work beside it, and all of them no wider than this together. */
const NOTCH = 0.02;
const NOTCHES = 0.3;
/** A wait is folded where it takes more than so much of the work, and longer than a second. */
const FOLDED = 0.05;

/** Only what is worth it is folded. */
export function foldsOf({ gaps, workMs }: Pick<Spent, 'gaps' | 'workMs'>): Fold[] {
  return workMs <= 0 ? [] : gaps.filter(({ from, to }) => to - from > Math.max(1000, workMs * FOLDED));
}

/** `folds`: in order of time, and apart from each other; none for true time. `widest`: of a notch, in milliseconds. */
export function scaleOf(span: Interval, folds: readonly Fold[], widest = Infinity): Scale {
  const folded = folds.reduce((sum, { from, to }) => sum + to - from, 0);
  const shown = Math.max(1, span.to - span.from - folded);
  const notch = Math.min(widest, shown * Math.min(NOTCH, NOTCHES / Math.max(1, folds.length)));
  const length = shown + notch * folds.length;
  /** What of the time before a moment is folded, and how much of the notches stands for it. */
  const before = (ms: number): { ms: number; notches: number } => {
    const sum = { ms: 0, notches: 0 };
    for (const { from, to } of folds) {
      if (ms <= from) break;
      const part = Math.min(ms, to) - from;
      sum.ms += part;
      sum.notches += (notch * part) / (to - from);
    }
    return sum;
  };
  const at = (ms: number): number => {
    const { ms: hidden, notches } = before(ms);
    return Math.max(0, Math.min(1, (ms - span.from - hidden + notches) / length));
  };
  const moment = (place: number): number => {
    let left = Math.max(0, Math.min(1, place)) * length;
    let since = span.from;
    for (const { from, to } of folds) {
      if (left <= from - since) break;
      left -= from - since;
      if (left < notch) return from + (left / notch) * (to - from);
      left -= notch;
      since = to;
    }
    return Math.min(span.to, since + left);
  };
  /** The moment after so much time that is not folded. */
  const momentAfter = (ms: number): number => {
    let moment = span.from + ms;
    for (const { from, to } of folds) if (moment > from) moment += to - from;
    return moment;
  };
  return {
    at,
    moment,
    length,
    folds,
    ticks: (from, to, count) => {
      const step = timeStep((to - from) * length, count);
      const found: { ms: number; at: number }[] = [];
      for (let ms = 0; ms <= shown; ms += step) {
        const place = at(momentAfter(ms));
        if (place > to) break;
        if (place >= from) found.push({ ms, at: place });
      }
      return found;
    },
  };
}
