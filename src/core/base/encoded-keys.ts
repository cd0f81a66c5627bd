/** Finds keys in base64, hexadecimal and UTF-16 text. Decodes only parts that are ASCII. */
import { findRuns, createCharacterClass } from './character-runs.ts';
import type { KeyRange } from './key-forms.ts';

type FindKeys = (text: string) => readonly KeyRange[];

const BASE64 = createCharacterClass(/[A-Za-z0-9+/_-]/);
const MIN_BASE64 = 24;
/** Continues a run that was wrapped into lines. */
const NEXT_LINE = /\r?\n[ \t]*([A-Za-z0-9+/_-]+)/y;
const MIN_WRAPPED = 40;
const HEX = createCharacterClass(/[0-9a-fA-F]/);
const MIN_HEX = 32;
const SPACED_HEX = createCharacterClass(/[0-9a-fA-F :]/);
const MIN_SPACED_HEX = 47;
const SPACED_HEX_RUN = /(?:[0-9a-fA-F]{2}[ :]){15,}[0-9a-fA-F]{2}/g;
/** Matches ASCII text in UTF-16 that was read as UTF-8, in either byte order. */
const WIDE_RUN = /(?:[\t\n\r\x20-\x7e]\0){7,}[\t\n\r\x20-\x7e]/g;
/** Minimum length of a decoded part, in groups of four base64 characters and in bytes. Shorter parts contain no key. */
const MIN_GROUPS = 4;
const MIN_BYTES = 16;

/** Value of each base64 character in both alphabets, by its code; 64 for any other. */
const SEXTETS = new Uint8Array(128).fill(64);
for (const [alphabet, value] of [
  ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 0],
  ['-_', 62],
] as const)
  [...alphabet].forEach((letter, index) => (SEXTETS[letter.charCodeAt(0)] = value + index));

/** A run without its line breaks, and the position of each line in the text. */
interface EncodedRun {
  text: string;
  lines: { at: number; from: number }[];
}

export function findEncodedKeys(text: string, findKeys: FindKeys): KeyRange[] {
  const ranges: KeyRange[] = [];
  let searchedTo = 0;
  for (const [from, to] of findRuns(text, BASE64, MIN_BASE64)) {
    if (from < searchedTo) continue;
    const run = joinLines(text, from, text.slice(from, to));
    searchedTo = getPosition(run, run.text.length);
    findInBase64(run, findKeys, ranges);
    for (const [start, end] of findRuns(run.text, HEX, MIN_HEX))
      findInHex(run, start, run.text.slice(start, end), 1, findKeys, ranges);
  }
  for (const [from, to] of findRuns(text, SPACED_HEX, MIN_SPACED_HEX)) {
    for (const { index, 0: spaced } of text.slice(from, to).matchAll(SPACED_HEX_RUN)) {
      const run = { text, lines: [{ at: 0, from: 0 }] };
      findInHex(run, from + index, spaced.replaceAll(/[ :]/g, ''), 1.5, findKeys, ranges);
    }
  }
  for (const { index, 0: wide } of text.includes('\0') ? text.matchAll(WIDE_RUN) : [])
    for (const { from, to, name } of findKeys(wide.replaceAll('\0', '')))
      ranges.push({ from: index + 2 * from, to: index + 2 * to - 1, name });
  return ranges;
}

function joinLines(text: string, start: number, first: string): EncodedRun {
  const run: EncodedRun = { text: first, lines: [{ at: 0, from: start }] };
  const parts = [first];
  let length = first.length;
  for (let line = first, end = start + first.length; line.length >= MIN_WRAPPED;) {
    NEXT_LINE.lastIndex = end;
    const next = NEXT_LINE.exec(text)?.[1];
    if (next === undefined) break;
    end = NEXT_LINE.lastIndex;
    run.lines.push({ at: length, from: end - next.length });
    parts.push(next);
    length += next.length;
    line = next;
  }
  run.text = parts.join('');
  return run;
}

/** Returns the position in the text of the end of the first `length` characters of the run. */
function getPosition({ lines }: EncodedRun, length: number): number {
  let [first, last] = [0, lines.length - 1];
  while (first < last) {
    const middle = Math.ceil((first + last) / 2);
    if (lines[middle]!.at < length) first = middle;
    else last = middle - 1;
  }
  const line = lines[first]!;
  return line.from + length - line.at;
}

/** Returns the range in the text of characters `from` to `to` of the run. */
function getRange(run: EncodedRun, from: number, to: number): Pick<KeyRange, 'from' | 'to'> {
  return { from: getPosition(run, from + 1) - 1, to: getPosition(run, to) };
}

/** Decodes from each of four starts. A group of three ASCII bytes has three zero bits, which `isAsciiGroup` tests. */
function findInBase64(run: EncodedRun, findKeys: FindKeys, ranges: KeyRange[]): void {
  const { text } = run;
  for (let start = 0; start < 4; start++) {
    let first = -1;
    for (let at = start; ; at += 4) {
      const isText = at + 4 <= text.length && isAsciiGroup(text, at);
      if (isText && first < 0) first = at;
      if (isText) continue;
      if (first >= 0 && at - first >= 4 * MIN_GROUPS)
        decodeGroups(run, first, Math.min(at + 4, text.length), findKeys, ranges);
      first = -1;
      if (at + 4 > text.length) break;
    }
  }
}

function isAsciiGroup(text: string, at: number): boolean {
  return (
    (SEXTETS[text.charCodeAt(at)]! & 32) === 0 &&
    (SEXTETS[text.charCodeAt(at + 1)]! & 8) === 0 &&
    (SEXTETS[text.charCodeAt(at + 2)]! & 2) === 0
  );
}

/** `to` includes the group behind the last one that is text: a key may end within it. */
function decodeGroups(run: EncodedRun, from: number, to: number, findKeys: FindKeys, ranges: KeyRange[]): void {
  const start = from >= 4 ? from - 4 : from;
  const plain = Buffer.from(run.text.slice(start, to), 'base64').toString('latin1');
  for (const key of findKeys(plain))
    ranges.push({
      ...getRange(run, start + Math.floor((key.from * 4) / 3), Math.min(to, start + Math.ceil((key.to * 4) / 3))),
      name: key.name,
    });
}

/** `width`: characters in the text for one of `hex`, which starts at `index`. */
function findInHex(
  run: EncodedRun,
  index: number,
  hex: string,
  width: number,
  findKeys: FindKeys,
  ranges: KeyRange[],
): void {
  for (const start of width === 1 ? [0, 1] : [0]) {
    let first = -1;
    for (let at = start; ; at += 2) {
      const isText = at + 2 <= hex.length && hex.charCodeAt(at) <= 55;
      if (isText && first < 0) first = at;
      if (isText) continue;
      if (first >= 0 && at - first >= 2 * MIN_BYTES) {
        const plain = Buffer.from(hex.slice(first, at), 'hex').toString('latin1');
        for (const key of findKeys(plain))
          ranges.push({
            ...getRange(
              run,
              index + (first + 2 * key.from) * width,
              index + (first + 2 * key.to) * width - (width - 1) * 2,
            ),
            name: key.name,
          });
      }
      first = -1;
      if (at + 2 > hex.length) break;
    }
  }
}
