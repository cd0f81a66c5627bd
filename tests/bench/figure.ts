/** A measured figure beside its bar and its floor. */

/** What is to be reached: bounds of the value itself, or of its ratio to the floor. */
export interface Bar {
  atMost?: number;
  atLeast?: number;
  timesFloor?: number;
  /** At least this part of the floor. */
  partOfFloor?: number;
}

export interface Figure {
  id: string;
  title: string;
  unit: string;
  bar: string;
  ours: number | null;
  floor: number | null;
  /** Ours over the floor's. */
  ratio: number | null;
  /** Null where it was not measured, or has no bar. */
  met: boolean | null;
  /** How it was measured, or why it was not. */
  note: string;
}

export interface Measured {
  id: string;
  title: string;
  unit: string;
  bar?: Bar;
  ours: number;
  floor?: number;
  note?: string;
}

export function figure({ id, title, unit, bar = {}, ours, floor, note = '' }: Measured): Figure {
  const ratio = floor === undefined || floor <= 0 ? null : ours / floor;
  return {
    id,
    title,
    unit,
    bar: barText(bar),
    ours,
    floor: floor ?? null,
    ratio,
    note,
    met: isMet(bar, ours, ratio),
  };
}

/** A figure without a value says why. */
export function unmeasured(id: string, title: string, bar: Bar, why: string): Figure {
  return {
    id,
    title,
    unit: '',
    bar: barText(bar),
    ours: null,
    floor: null,
    ratio: null,
    met: null,
    note: `not measured: ${why}`,
  };
}

function barText({ atMost, atLeast, timesFloor, partOfFloor }: Bar): string {
  return [
    ...(atMost === undefined ? [] : [`≤ ${atMost}`]),
    ...(atLeast === undefined ? [] : [`≥ ${atLeast}`]),
    ...(timesFloor === undefined ? [] : [`≤ ${timesFloor} × floor`]),
    ...(partOfFloor === undefined ? [] : [`≥ ${partOfFloor} × floor`]),
  ].join(', ');
}

function isMet(bar: Bar, ours: number, ratio: number | null): boolean | null {
  const { atMost, atLeast, timesFloor, partOfFloor } = bar;
  const hasFloorBar = timesFloor !== undefined || partOfFloor !== undefined;
  if (hasFloorBar ? ratio === null : atMost === undefined && atLeast === undefined) return null;
  return (
    (atMost === undefined || ours <= atMost) &&
    (atLeast === undefined || ours >= atLeast) &&
    (timesFloor === undefined || (ratio ?? Infinity) <= timesFloor) &&
    (partOfFloor === undefined || (ratio ?? 0) >= partOfFloor)
  );
}
