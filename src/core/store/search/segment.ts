/** A segment of the search: some thousand entries, newest first, and in which of them each word stands. */
import { setImmediate as turn } from 'node:timers/promises';
import { sortKeyOfId } from '../rows/row-codec.ts';
import { wordsOf } from './words.ts';

/** Whose entry it is: all that a hit tells besides the text. */
export interface RunOfEntry {
  runId: string;
  workflowId: string;
  conversationId: string;
  agent: string;
  lead: boolean;
}
/** An entry by the place of its run in the segment's list, its number there and its time in milliseconds. */
export type EntryOfSegment = readonly [run: number, n: number, ms: number];

export interface Segment {
  runs: readonly RunOfEntry[];
  /** Newest first. Null for one that was purged. */
  entries: readonly (EntryOfSegment | null)[];
}

/** Sorts entries newest first; a cursor of the search. */
export function sortKeyOfEntry(ms: number, runId: string, n: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  return sortKeyOfId(`${hex(ms, 12)}-${hex(n, 8)}-${runId}`);
}

/** How long the building may keep the program from anything else, in milliseconds. */
const SLICE_MS = 8;

/** The words of texts as rows: by bucket, a line for each word with the numbers of its texts. */
export async function bucketsOf(texts: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, number[]>();
  let sliceEnd = performance.now() + SLICE_MS;
  for (const [index, text] of texts.entries()) {
    if (performance.now() > sliceEnd) {
      await turn();
      sliceEnd = performance.now() + SLICE_MS;
    }
    for (const { word } of wordsOf(text)) {
      const places = found.get(word);
      if (!places) found.set(word, [index]);
      else if (places.at(-1) !== index) places.push(index);
    }
  }
  const buckets = new Map<string, string>();
  for (const [word, places] of found) {
    const bucket = bucketOf(word);
    buckets.set(bucket, (buckets.get(bucket) ?? '\n') + lineOf(word, places));
  }
  return buckets;
}

/** Words of one bucket lie in one row: those that begin with the same two characters. */
export function bucketOf(word: string): string {
  return [...word.slice(0, 4)].slice(0, 2).join('');
}

function lineOf(word: string, places: readonly number[]): string {
  return `${word} ${places.map((place) => place.toString(36)).join(',')}\n`;
}

/** The texts of a row in which the word stands, or any word that begins with it. */
export function postingsOf(lines: string, word: string, prefix: boolean): Set<number> {
  const places = new Set<number>();
  const begin = prefix ? `\n${word}` : `\n${word} `;
  for (let at = lines.indexOf(begin); at >= 0; at = lines.indexOf(begin, at + 1)) {
    const from = lines.indexOf(' ', at) + 1;
    for (const place of lines.slice(from, lines.indexOf('\n', from)).split(',')) places.add(parseInt(place, 36));
  }
  return places;
}

/** The row without some of its texts; null when no word is left. */
export function withoutTexts(lines: string, gone: ReadonlySet<number>): string | null {
  let rest = '\n';
  for (const line of lines.split('\n')) {
    const space = line.indexOf(' ');
    if (space < 0) continue;
    const places = line
      .slice(space + 1)
      .split(',')
      .map((place) => parseInt(place, 36));
    const left = places.filter((place) => !gone.has(place));
    if (left.length > 0) rest += lineOf(line.slice(0, space), left);
  }
  return rest === '\n' ? null : rest;
}
