/** Finds text within base64 and hexadecimal runs, so that keys in it are found. Only parts that decode to ASCII are decoded. */
import { findRuns, makeClass } from './character-runs.ts';
import type { KeyRange } from './key-forms.ts';

type FindKeys = (text: string) => readonly KeyRange[];

const BASE64 = makeClass(/[A-Za-z0-9+/_-]/);
const MIN_BASE64 = 24;
/** Continues a run that was wrapped into lines. */
const NEXT_LINE = /\r?\n[ \t]*([A-Za-z0-9+/_-]+)/y;
const MIN_WRAPPED = 40;
const HEX = makeClass(/[0-9a-fA-F]/);
const MIN_HEX = 32;
const SPACED_HEX = makeClass(/[0-9a-fA-F :]/);
const MIN_SPACED_HEX = 47;
const SPACED_HEX_RUN = /(?:[0-9a-fA-F]{2}[ :]){15,}[0-9a-fA-F]{2}/g;
/** Shorter parts hold no key: groups of four characters, and bytes. */
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
interface Run {
  text: string;
  lines: { at: number; from: number }[];
}

export function findEncodedKeys(text: string, findKeys: FindKeys): KeyRange[] {
  const found: KeyRange[] = [];
  let done = 0;
  for (const [from, to] of findRuns(text, BASE64, MIN_BASE64)) {
    if (from < done) continue;
    const run = joinLines(text, from, text.slice(from, to));
    done = positionIn(run, run.text.length);
    findInBase64(run, findKeys, found);
    for (const [start, end] of findRuns(run.text, HEX, MIN_HEX))
      findInHex(run, start, run.text.slice(start, end), 1, findKeys, found);
  }
  for (const [from, to] of findRuns(text, SPACED_HEX, MIN_SPACED_HEX)) {
    for (const { index, 0: spaced } of text.slice(from, to).matchAll(SPACED_HEX_RUN)) {
      const run = { text, lines: [{ at: 0, from: 0 }] };
      findInHex(run, from + index, spaced.replaceAll(/[ :]/g, ''), 1.5, findKeys, found);
    }
  }
  return found;
}

function joinLines(text: string, start: number, first: string): Run {
  const run: Run = { text: first, lines: [{ at: 0, from: start }] };
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

/** Position in the text of the end of the first `length` characters of the run. */
function positionIn({ lines }: Run, length: number): number {
  const line = lines.findLast(({ at }) => at < length) ?? lines[0]!;
  return line.from + length - line.at;
}

/** The range in the text of characters `from` to `to` of the run. */
function rangeIn(run: Run, from: number, to: number): Pick<KeyRange, 'from' | 'to'> {
  return { from: positionIn(run, from + 1) - 1, to: positionIn(run, to) };
}

/** At each of four starts: of three ASCII bytes, the first bit of each is 0. */
function findInBase64(run: Run, findKeys: FindKeys, found: KeyRange[]): void {
  const { text } = run;
  for (let start = 0; start < 4; start++) {
    let first = -1;
    for (let at = start; ; at += 4) {
      const isText = at + 4 <= text.length && isAsciiGroup(text, at);
      if (isText && first < 0) first = at;
      if (isText) continue;
      if (first >= 0 && at - first >= 4 * MIN_GROUPS)
        decodeGroups(run, first, Math.min(at + 4, text.length), findKeys, found);
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
function decodeGroups(run: Run, from: number, to: number, findKeys: FindKeys, found: KeyRange[]): void {
  const start = from >= 4 ? from - 4 : from;
  const plain = Buffer.from(run.text.slice(start, to), 'base64').toString('latin1');
  for (const key of findKeys(plain))
    found.push({
      ...rangeIn(run, start + Math.floor((key.from * 4) / 3), Math.min(to, start + Math.ceil((key.to * 4) / 3))),
      name: key.name,
    });
}

/** `width`: characters in the text for one of `hex`, which starts at `index`. */
function findInHex(run: Run, index: number, hex: string, width: number, findKeys: FindKeys, found: KeyRange[]): void {
  for (const start of width === 1 ? [0, 1] : [0]) {
    let first = -1;
    for (let at = start; ; at += 2) {
      const isText = at + 2 <= hex.length && hex.charCodeAt(at) <= 55;
      if (isText && first < 0) first = at;
      if (isText) continue;
      if (first >= 0 && at - first >= 2 * MIN_BYTES) {
        const plain = Buffer.from(hex.slice(first, at), 'hex').toString('latin1');
        for (const key of findKeys(plain))
          found.push({
            ...rangeIn(
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
