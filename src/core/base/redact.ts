/**
 * Redacts secrets: known values (stored keys, the environment, settings), known forms of keys and, in text that leaves the
 * program, the person's own patterns. Text of files, tools and web pages is redacted before it reaches a model or the history.
 */
import { setImmediate } from 'node:timers/promises';
import { findEncodedKeys } from './encoded-keys.ts';
import { findKeyForms, KEY_NAMES, type KeyRange } from './key-forms.ts';
import { KnownValues } from './known-values.ts';
import type { LinearPattern } from './linear-pattern.ts';
import { findPrivateKeys, PRIVATE_KEY } from './private-key-blocks.ts';

const KNOWN_NAME = 'known key';
/** Name of a match of the person's patterns, which the placeholder does not show. */
const MARKED_NAME = '';
const PLACEHOLDER = new RegExp(String.raw`\[redacted: (?:${[KNOWN_NAME, PRIVATE_KEY, ...KEY_NAMES].join('|')})\]`, 'g');

/** Size of the slices of a long text, in UTF-16 code units. Other work can run between two slices. */
const SLICE = 64 * 1024;
/** Overlap of a slice with the slice before, so that no key is cut. In UTF-16 code units. */
const OVERLAP = { key: 8 * 1024, block: 20 * 1024 };

/** Size of each of the two sets of clean texts, in UTF-16 code units and in texts. */
const [MAX_CLEAN_CHARS, MAX_CLEAN_TEXTS] = [1_000_000, 4_000];

// Module state, so that all parts of a process redact the same values.
const secretsBySource = new Map<string, readonly string[]>();
let values = new KnownValues([]);
let patterns: readonly LinearPattern[] = [];

/** Redacts these values from now on. Replaces the earlier values of `source`. */
export function knowSecrets(source: string, secrets: readonly string[]): void {
  secretsBySource.set(source, secrets);
  values = new KnownValues([...secretsBySource.values()].flat());
  startCleanTexts(new Set());
}

/** Redacts the matches of the person's expressions from now on. Replaces earlier expressions. */
export function knowPatterns(all: readonly LinearPattern[]): void {
  patterns = all;
  startCleanTexts(new Set());
}

/** Returns the text for a reader outside the program: placeholders replace known values, known forms and marked text. */
export function redact(text: string): string {
  const ranges = findAllKeys(text);
  for (const pattern of patterns)
    for (const [from, to] of pattern.rangesIn(text)) ranges.push({ from, to, name: MARKED_NAME });
  return replaceRanges(text, ranges);
}

/** Redacts every text of plain data, names of fields included. */
export function redacted<T>(value: T): T {
  return redactValue(value) as T;
}

/** Text for a model, without keys, and the names of the redacted keys, each once. */
export interface CleanText {
  text: string;
  names: string[];
}

/**
 * Redacts known values and known forms. Does not apply the person's patterns. `before`: text right before
 * this one, which can have the start of a private key.
 */
export async function redactKeys(text: string, before = ''): Promise<CleanText> {
  const shift = before.length;
  const ranges = (await findKeysInSlices(before + text))
    .filter(({ to }) => to > shift)
    .map(({ from, to, name }) => ({ from: Math.max(0, from - shift), to: to - shift, name }));
  return { text: replaceRanges(text, ranges), names: [...new Set(ranges.map(({ name }) => name))] };
}

/** Returns the names of the keys in a text, each once. */
export async function nameKeys(text: string): Promise<string[]> {
  return (await redactKeys(text)).names;
}

/** Redacts the keys of a text without a pause for other work. */
export function redactKeysNow(text: string): string {
  return replaceRanges(text, findAllKeys(text));
}

/** Redacts the keys in every text of plain data. Names of fields stay. */
export async function redactKeysIn<T>(value: T): Promise<T> {
  if (typeof value === 'string') return (await redactKeys(value)).text as T;
  if (Array.isArray(value)) return (await Promise.all(value.map(redactKeysIn))) as T;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(async ([name, one]: [string, unknown]) => [name, await redactKeysIn(one)]);
  return Object.fromEntries(await Promise.all(fields)) as T;
}

/** Lines without keys, and the placeholder of each redacted key by its text. */
export interface CleanLines {
  lines: string[];
  keys: ReadonlyMap<string, string>;
}

/** Redacts the keys in the lines of one text; each line of a private key gets a placeholder. */
export function redactLines(lines: readonly string[]): CleanLines {
  const text = lines.join('\n');
  const ranges = findAllKeys(text).sort((a, b) => a.from - b.from);
  const keys = new Map<string, string>();
  let start = 0;
  let next = 0;
  const cleanLines = lines.map((line) => {
    const from = start;
    start += line.length + 1;
    while (next < ranges.length && ranges[next]!.to <= from) next++;
    const lineRanges: KeyRange[] = [];
    for (let at = next; at < ranges.length; at++) {
      const range = ranges[at]!;
      if (range.from >= from + line.length) break;
      const [first, last] = [Math.max(0, range.from - from), Math.min(line.length, range.to - from)];
      if (first >= last) continue;
      lineRanges.push({ from: first, to: last, name: range.name });
      keys.set(line.slice(first, last), formatPlaceholder(range.name));
    }
    return replaceRanges(line, lineRanges);
  });
  return { lines: cleanLines, keys };
}

/** Returns the placeholders of keys in a text, in order. */
export function findPlaceholders(text: string): string[] {
  return text.match(PLACEHOLDER) ?? [];
}

/** Returns the value itself if nothing in it is redacted. */
function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactOnce(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return redactItems(value);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, redactValue(one)]));
  return redactFields(value as Record<string, unknown>);
}

/** Most arrays have nothing to redact, so nothing is allocated for them. */
function redactItems(items: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (const [index, item] of items.entries()) {
    const shown = redactValue(item);
    if (shown !== item) copy ??= items.slice(0, index);
    copy?.push(shown);
  }
  return copy ?? items;
}

function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  let copy: [string, unknown][] | null = null;
  for (const name in fields) {
    const [shownName, shown] = [redactOnce(name), redactValue(fields[name])];
    if (shownName !== name || shown !== fields[name])
      copy ??= Object.entries(fields).slice(0, Object.keys(fields).indexOf(name));
    copy?.push([shownName, shown]);
  }
  return copy === null ? fields : Object.fromEntries(copy);
}

/** Texts without a redaction, because rows repeat each text several times. Drops the older set when both are full. */
let [cleanTexts, olderCleanTexts] = [new Set<string>(), new Set<string>()];
let cleanChars = 0;

function redactOnce(text: string): string {
  if (cleanTexts.has(text) || olderCleanTexts.has(text)) return text;
  const shown = redact(text);
  if (shown !== text) return shown;
  cleanTexts.add(text);
  cleanChars += text.length;
  if (cleanChars > MAX_CLEAN_CHARS || cleanTexts.size > MAX_CLEAN_TEXTS) startCleanTexts(cleanTexts);
  return text;
}

function startCleanTexts(older: Set<string>): void {
  [cleanTexts, olderCleanTexts, cleanChars] = [new Set(), older, 0];
}

async function findKeysInSlices(text: string): Promise<KeyRange[]> {
  const ranges: KeyRange[] = [];
  const search = (start: number, overlap: number, find: (part: string) => KeyRange[]): void => {
    const from = Math.max(0, start - overlap);
    for (const range of find(text.slice(from, start + SLICE))) {
      // A word that the slice cuts in two is whole in the slice before.
      if (from > 0 && range.from === 0) continue;
      ranges.push({ from: from + range.from, to: from + range.to, name: range.name });
    }
  };
  for (let start = 0; start < text.length; start += SLICE) {
    if (start > 0) await setImmediate();
    search(start, Math.max(OVERLAP.key, values.longest), findKeys);
    search(start, OVERLAP.block, findPrivateKeys);
  }
  return ranges;
}

function findAllKeys(text: string): KeyRange[] {
  return [...findKeys(text), ...findPrivateKeys(text)];
}

/** Finds known values and forms, in plain text and encoded. */
function findKeys(text: string): KeyRange[] {
  return [
    ...findPlainKeys(text),
    ...findEncodedKeys(text, (plain) => [...findPlainKeys(plain), ...findPrivateKeys(plain)]),
  ];
}

function findPlainKeys(text: string): KeyRange[] {
  return [...values.find(text).map(([from, to]) => ({ from, to, name: KNOWN_NAME })), ...findKeyForms(text)];
}

/** Replaces ranges that overlap or touch with one placeholder, which has the name of the first range. */
function replaceRanges(text: string, ranges: KeyRange[]): string {
  if (ranges.length === 0) return text;
  ranges.sort((a, b) => a.from - b.from || b.to - a.to);
  let result = '';
  let end = 0;
  for (const { from, to, name } of ranges) {
    if (from > end || result === '') result += text.slice(end, from) + formatPlaceholder(name);
    end = Math.max(end, to);
  }
  return result + text.slice(end);
}

function formatPlaceholder(name: string): string {
  return name === MARKED_NAME ? '[redacted]' : `[redacted: ${name}]`;
}
