/** Ranges of numbers, such as those of missing events. */

/** A range of numbers, both ends included. */
export interface NumberRange {
  from: number;
  to: number;
}

/** Collects numbers, in ascending order, as ranges. */
export class Ranges {
  readonly all: NumberRange[] = [];

  constructor(numbers: Iterable<number> = []) {
    for (const number of numbers) this.add(number);
  }

  /** The highest number; 0 for none. */
  get last(): number {
    return this.all.at(-1)?.to ?? 0;
  }

  get size(): number {
    return countNumbers(this.all);
  }

  /** `from` must not be lower than in the call before. */
  add(from: number, to = from): void {
    const last = this.all.at(-1);
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to);
    else this.all.push({ from, to });
  }

  /** Returns the ranges between `from` and `to` without the collected numbers. */
  gaps(from: number, to: number): NumberRange[] {
    const gaps: NumberRange[] = [];
    let next = from;
    for (const range of this.all) {
      if (range.from > next) gaps.push({ from: next, to: range.from - 1 });
      next = Math.max(next, range.to + 1);
    }
    if (next <= to) gaps.push({ from: next, to });
    return gaps;
  }
}

/** Returns the number of numbers in the ranges. */
export function countNumbers(ranges: readonly NumberRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}
