/**
 * Reads rows that are numbered without gaps, past places that cannot be read. The engine checks each block of a table
 * against its checksum, but a range that comes to a damaged one ends there like any other: nothing is said. Only the
 * numbers tell, so whatever has them is read through here.
 */
import { type NumberRange, Ranges } from './ranges.ts';

export interface Dense<T> {
  /** What there is, in order. */
  items: T[];
  gaps: NumberRange[];
}

/** Rows of a range in order, as far as the engine gives them. */
type ReadRange<T> = (from: number, to: number) => Promise<readonly T[]>;

/**
 * What there is from `from` to `to`, and which numbers of it are missing. A read that fails counts as one that finds
 * nothing. `newest`: the last number that exists, asked for where fewer were found; nothing after it is missing.
 */
export async function readDense<T>(
  read: ReadRange<T>,
  numberOf: (item: T) => number,
  { from, to, newest }: { from: number; to: number; newest?: () => Promise<number> },
): Promise<Dense<T>> {
  const tolerant: ReadRange<T> = (first, last) => read(first, last).catch(() => []);
  const items = [...(await tolerant(from, to))];
  const after = (): number => numberAfter(items.at(-1), numberOf, from);
  const end = newest && after() <= to ? Math.min(to, await newest()) : to;
  while (after() <= end) {
    const next = await firstBeyond(tolerant, numberOf, after(), end);
    if (next === null) break;
    items.push(...(await tolerant(next, end)));
  }
  return { items, gaps: new Ranges(items.map(numberOf)).gaps(from, end) };
}

function numberAfter<T>(last: T | undefined, numberOf: (item: T) => number, from: number): number {
  return last === undefined ? from : numberOf(last) + 1;
}

/**
 * A number after the damaged block in which `from` lies, from which a range can be read; null if there is none. Steps
 * double until one lands behind the block, then halve back to its end.
 */
async function firstBeyond<T>(
  read: ReadRange<T>,
  numberOf: (item: T) => number,
  from: number,
  to: number,
): Promise<number | null> {
  let low = from;
  let high: number | null = null;
  if (from === to) return null;
  for (let step = 1; high === null; step *= 2) {
    const probe = Math.min(from + step, to);
    const [first] = await read(probe, to);
    if (first !== undefined) high = numberOf(first);
    else if (probe === to) return null;
    else low = probe;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const [first] = await read(middle, to);
    if (first === undefined) low = middle;
    else if (numberOf(first) >= high) high = middle;
    else high = numberOf(first);
  }
  return high;
}
