/** The lines of a text that are most like the lines of a block, where they are clearly so. */
import type { Lines, Work } from './edit-lines.ts';

/** Where a block was found; where it was not, what came next to it: the closest lines, or those that are equally close. */
export interface Found {
  kind: 'whitespace' | 'fuzzy';
  /** Index of its first line. */
  at: number | null;
  nearest: { at: number; count: number } | null;
  rivals?: readonly [number, number];
}

/** How alike a block must be, from 0 to 1, and how much more than any other. */
const ALIKE = 0.9;
const LEAD = 0.05;
/** A line below this is another line, unless it is as short as a bracket. */
const LINE_ALIKE = 0.5;
const SHORT = 3;
/** What must be the same of the first line's beginning and of the last line's end, in code units. */
const START = 4;
const END = 2;

/**
 * Looks at every place: first at the line of the block that says most, then at the others as long as the place can
 * still count. Finds nothing where that would be more than `work` allows.
 */
export function mostAlike({ bare }: Lines, block: readonly string[], work: Work): Found {
  const order = block.map((_, index) => index).sort((a, b) => block[b]!.length - block[a]!.length);
  const anchor = order[0]!;
  const whole = block.reduce((sum, line) => sum + weight(line), 0);
  const comparison = new Comparison(block, work);
  let nearest: { at: number; alike: number } | null = null;
  const good: { at: number; alike: number }[] = [];
  for (let at = 0; at + block.length <= bare.length; at++) {
    const one = comparison.alike(bare[at + anchor]!, anchor);
    if (one === null) return NONE;
    if (one < LINE_ALIKE) continue;
    if (nearest === null || one > nearest.alike) nearest = { at, alike: one };
    const all = alikeAt(bare, at, block, { order, whole, one, comparison });
    if (all === null) return NONE;
    if (all >= ALIKE - LEAD) good.push({ at, alike: all });
  }
  good.sort((a, b) => b.alike - a.alike);
  const [best, second] = good;
  if (best === undefined || best.alike < ALIKE) {
    const closest = best ?? nearest;
    return { ...NONE, nearest: closest && { at: closest.at, count: block.length } };
  }
  if (second && best.alike - second.alike < LEAD) return { ...NONE, rivals: [best.at, second.at] };
  return { kind: 'fuzzy', at: best.at, nearest: null };
}

const NONE: Found = { kind: 'fuzzy', at: null, nearest: null };

interface Parts {
  /** Indexes of the block's lines, the longest first. */
  order: readonly number[];
  /** What its lines weigh together. */
  whole: number;
  /** How alike that longest one is. */
  one: number;
  comparison: Comparison;
}

/** Of a line among others. */
const weight = (line: string): number => Math.max(1, line.length);

/** Of the lines from `at` on, by the length of each; 0 as soon as it cannot count, null where it is too much work. */
function alikeAt(bare: readonly string[], at: number, block: readonly string[], parts: Parts): number | null {
  const { order, whole, one, comparison } = parts;
  // What begins or ends differently may be more, or less, than the piece of a line that was meant.
  const [first, last] = [bare[at]!, bare[at + block.length - 1]!];
  if (first.slice(0, START) !== block[0]!.slice(0, START) || last.slice(-END) !== block.at(-1)!.slice(-END)) return 0;
  let lost = 0;
  for (const [rank, index] of order.entries()) {
    const [is, asked] = [bare[at + index]!, block[index]!];
    const alike = rank === 0 ? one : comparison.alike(is, index);
    if (alike === null) return null;
    if (alike < LINE_ALIKE && Math.max(is.length, asked.length) > SHORT) return 0;
    lost += (1 - alike) * weight(asked);
    if (lost > (1 - ALIKE + LEAD) * whole) return 0;
  }
  return 1 - lost / whole;
}

/** How often each pair of neighbouring characters stands in a line; two pairs that share a place count as one, which is rare. */
type Pairs = Uint16Array;

const PLACES = 8192;

const placeAt = (line: string, at: number): number =>
  (line.charCodeAt(at - 1) * 127 + line.charCodeAt(at)) & (PLACES - 1);

function pairsOf(line: string): Pairs {
  const pairs = new Uint16Array(PLACES);
  for (let at = 1; at < line.length; at++) pairs[placeAt(line, at)]! += 1;
  return pairs;
}

/** Compares lines of a text with those of a block, by the share of pairs that they have in common (Dice), from 0 to 1. */
class Comparison {
  readonly #block: readonly string[];
  readonly #pairs: (Pairs | undefined)[] = [];
  /** Places that the line in hand has used up; all 0 between two lines. */
  readonly #used = new Uint16Array(PLACES);
  readonly #work: Work;

  constructor(block: readonly string[], work: Work) {
    this.#block = block;
    this.#work = work;
  }

  /** Null where it is too much work. */
  alike(line: string, index: number): number | null {
    const asked = this.#block[index]!;
    if (!this.#work.allows(1)) return null;
    if (line === asked) return 1;
    const total = line.length + asked.length - 2;
    const shorter = Math.min(line.length, asked.length) - 1;
    // Lines of very different lengths have too little in common, whatever they say.
    if (shorter < 1 || (2 * shorter) / total < LINE_ALIKE) return 0;
    const known = this.#pairs[index];
    if (!this.#work.allows(line.length + (known ? 0 : PLACES))) return null;
    const pairs = known ?? (this.#pairs[index] = pairsOf(asked));
    const used = this.#used;
    let common = 0;
    for (let at = 1; at < line.length; at++) {
      const place = placeAt(line, at);
      if (used[place]! >= pairs[place]!) continue;
      used[place]! += 1;
      common++;
    }
    for (let at = 1; at < line.length; at++) used[placeAt(line, at)] = 0;
    return (2 * common) / total;
  }
}
