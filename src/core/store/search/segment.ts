/** A search segment: some thousand entries, newest first, with an inverted index of their words. */
import { setImmediate as turn } from 'node:timers/promises';
import { sortKeyOfId } from '../rows/row-codec.ts';
import { wordsOf } from './words.ts';

/** The run of an entry, with what a hit shows besides the text. */
export interface RunOfEntry {
  runId: string;
  workflowId: string;
  conversationId: string;
  agent: string;
  lead: boolean;
}
/** An entry: index of its run in the segment's list, entry number, time in milliseconds since 1970. */
export type EntryOfSegment = readonly [run: number, n: number, ms: number];

/** Sort key of an entry, newest first; the cursor of a search. */
export function sortKeyOfEntry(ms: number, runId: string, n: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  return sortKeyOfId(`${hex(ms, 12)}-${hex(n, 8)}-${runId}`);
}

/** Longest time that indexing blocks the event loop, in milliseconds. */
const SLICE_MS = 8;

/** The postings of texts by bucket: one line for each word, with the numbers of the texts that contain it. */
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

/** The bucket of a word, its first two characters: the words of a bucket share a row. */
export function bucketOf(word: string): string {
  return [...word.slice(0, 4)].slice(0, 2).join('');
}

function lineOf(word: string, places: readonly number[]): string {
  return `${word} ${places.map((place) => place.toString(36)).join(',')}\n`;
}

/** Numbers of the texts that contain the word or, with `prefix`, any word that begins with it. */
export function postingsOf(lines: string, word: string, prefix: boolean): Set<number> {
  const places = new Set<number>();
  const begin = prefix ? `\n${word}` : `\n${word} `;
  for (let at = lines.indexOf(begin); at >= 0; at = lines.indexOf(begin, at + 1)) {
    const from = lines.indexOf(' ', at) + 1;
    for (const place of lines.slice(from, lines.indexOf('\n', from)).split(',')) places.add(parseInt(place, 36));
  }
  return places;
}

/** The row without the given texts; null if no word is left. */
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
