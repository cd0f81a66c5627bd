/** Finds values that are known to be secret, in all their spellings, in one pass over a text. */
import type { Range } from './linear-pattern.ts';

/** Minimum length of a secret value. Shorter values would be found in any text. */
const MIN_VALUE = 8;
/** Length of the beginning that identifies a value whose end was cut off. */
const MIN_PART = 12;

/** A set of values, searched with the shifts of Wu and Manber over their first characters. */
export class KnownValues {
  readonly #byStart = new Map<string, string[]>();
  /** Length of the longest spelling, in UTF-16 code units. */
  readonly longest: number;
  /** Number of characters that the search can skip, by the hash of two characters. */
  readonly #shifts = new Uint8Array(1 << 14).fill(MIN_VALUE - 1);

  constructor(values: Iterable<string>) {
    const spellings = new Set([...values].flatMap(spell));
    this.longest = [...spellings].reduce((longest, { length }) => Math.max(longest, length), 0);
    for (const spelling of spellings) this.#add(spelling);
  }

  /** Finds whole values, and the beginning of a value where the text was cut within it. */
  find(text: string): Range[] {
    const ranges: Range[] = [];
    if (this.#byStart.size === 0) return ranges;
    for (let at = 0; at + MIN_VALUE <= text.length;) {
      const shift = this.#shifts[hashPair(text, at + MIN_VALUE - 2)]!;
      if (shift === 0) this.#compare(text, at, ranges);
      at += shift || 1;
    }
    return ranges;
  }

  #add(value: string): void {
    const start = value.slice(0, MIN_VALUE);
    const same = this.#byStart.get(start);
    if (same) same.push(value);
    else this.#byStart.set(start, [value]);
    for (let at = 0; at < MIN_VALUE - 1; at++) {
      const pair = hashPair(start, at);
      this.#shifts[pair] = Math.min(this.#shifts[pair]!, MIN_VALUE - 2 - at);
    }
  }

  #compare(text: string, at: number, ranges: Range[]): void {
    for (const value of this.#byStart.get(text.slice(at, at + MIN_VALUE)) ?? []) {
      let to = at + MIN_VALUE;
      while (to < at + value.length && text[to] === value[to - at]) to++;
      const isWhole = to === at + value.length;
      const isCut = to - at >= MIN_PART && (to === text.length || /^\s*(?:…|\.\.\.|\[)/.test(text.slice(to, to + 8)));
      if (isWhole || isCut) ranges.push([at, to]);
    }
  }
}

function hashPair(text: string, at: number): number {
  return (text.charCodeAt(at) * 131 + text.charCodeAt(at + 1)) & 0x3fff;
}

/** Returns the value in plain text, in JSON, in an address, in hexadecimal, and in base64 at each alignment. */
function spell(value: string): string[] {
  if (value.length < MIN_VALUE) return [];
  const json = JSON.stringify(value).slice(1, -1);
  const bytes = Buffer.from(value.toWellFormed());
  const hex = bytes.toString('hex');
  const spellings = [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    ...[hex, hex.toUpperCase()].flatMap((one) => [
      one,
      ...[' ', ':'].map((sign) => one.replaceAll(/..(?=.)/g, `$&${sign}`)),
    ]),
    ...[0, 1, 2].flatMap((alignment) => spellInBase64(bytes, alignment)),
  ];
  return spellings.filter(({ length }) => length >= MIN_VALUE);
}

/** Returns the characters that depend on the value alone, after `alignment` other bytes: in both alphabets. */
function spellInBase64(bytes: Buffer, alignment: number): string[] {
  const text = Buffer.concat([Buffer.alloc(alignment), bytes]).toString('base64');
  const from = Math.ceil((alignment * 8) / 6);
  const standard = text.slice(from, Math.floor(((alignment + bytes.length) * 8) / 6));
  return [standard, standard.replaceAll('+', '-').replaceAll('/', '_')];
}
