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

const KNOWN = 'known key';
/** Name of a match of the person's patterns, which the placeholder does not show. */
const MARKED = '';
const PLACEHOLDER = new RegExp(String.raw`\[redacted: (?:${[KNOWN, PRIVATE_KEY, ...KEY_NAMES].join('|')})\]`, 'g');

/** Slices of a long text are searched one after the other, and other work may run in between; in UTF-16 code units. */
const SLICE = 64 * 1024;
/** Part of a slice that the slice before it includes too, so that no key is cut; in UTF-16 code units. */
const OVERLAP = { key: 8 * 1024, block: 20 * 1024 };

// Module state on purpose: all parts of a process redact the same values.
const known = new Map<string, readonly string[]>();
let values = new KnownValues([]);
let patterns: readonly LinearPattern[] = [];

/** Makes these values secret from now on, and forgets those that `source` gave before. */
export function knowSecrets(source: string, secrets: readonly string[]): void {
  known.set(source, secrets);
  values = new KnownValues([...known.values()].flat());
}

/** Makes secret whatever these expressions of the person match. */
export function knowPatterns(all: readonly LinearPattern[]): void {
  patterns = all;
}

/** Returns the text for a reader outside the program: placeholders replace known values, known forms and marked text. */
export function redact(text: string): string {
  const ranges = [...findKeys(text), ...findPrivateKeys(text)];
  for (const pattern of patterns)
    for (const [from, to] of pattern.rangesIn(text)) ranges.push({ from, to, name: MARKED });
  return replaceRanges(text, ranges);
}

/** Redacts every text of plain data, names of fields included. */
export function redacted<T>(value: T): T {
  return mapTexts(value, redact) as T;
}

/** Text for a model, without keys, and the names of what was redacted, each once. */
export interface CleanText {
  text: string;
  names: string[];
}

/**
 * Redacts known values and known forms. The person's patterns stay: they are for text that leaves the program. `before`:
 * text right before this one, which tells whether it starts within a private key.
 */
export async function redactKeys(text: string, before = ''): Promise<CleanText> {
  const shift = before.length;
  const ranges = (await findAllKeys(before + text))
    .filter(({ to }) => to > shift)
    .map(({ from, to, name }) => ({ from: Math.max(0, from - shift), to: to - shift, name }));
  return { text: replaceRanges(text, ranges), names: [...new Set(ranges.map(({ name }) => name))] };
}

/** Names of the keys in a text, each once. */
export async function nameKeys(text: string): Promise<string[]> {
  return (await redactKeys(text)).names;
}

/** Redacts the keys of a text that is short, such as the last lines of an output. */
export function redactKeysNow(text: string): string {
  return replaceRanges(text, [...findKeys(text), ...findPrivateKeys(text)]);
}

/** Redacts the keys in every text of plain data. */
export async function redactKeysIn<T>(value: T): Promise<T> {
  if (typeof value === 'string') return (await redactKeys(value)).text as T;
  if (Array.isArray(value)) return (await Promise.all(value.map(redactKeysIn))) as T;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(async ([name, one]: [string, unknown]) => [name, await redactKeysIn(one)]);
  return Object.fromEntries(await Promise.all(fields)) as T;
}

/** Lines without keys, and what was redacted in them: the text of each key with its placeholder. */
export interface CleanLines {
  lines: string[];
  keys: ReadonlyMap<string, string>;
}

/** Redacts the keys in the lines of one text; each line of a private key gets a placeholder. */
export function redactLines(lines: readonly string[]): CleanLines {
  const text = lines.join('\n');
  const ranges = [...findKeys(text), ...findPrivateKeys(text)].sort((a, b) => a.from - b.from);
  const keys = new Map<string, string>();
  let start = 0;
  let next = 0;
  const clean = lines.map((line) => {
    const from = start;
    start += line.length + 1;
    while (next < ranges.length && ranges[next]!.to <= from) next++;
    const own: KeyRange[] = [];
    for (let at = next; at < ranges.length; at++) {
      const range = ranges[at]!;
      if (range.from >= from + line.length) break;
      const [first, last] = [Math.max(0, range.from - from), Math.min(line.length, range.to - from)];
      if (first >= last) continue;
      own.push({ from: first, to: last, name: range.name });
      keys.set(line.slice(first, last), placeholderFor(range.name));
    }
    return replaceRanges(line, own);
  });
  return { lines: clean, keys };
}

/** Placeholders of keys in a text, in order. */
export function findPlaceholders(text: string): string[] {
  return text.match(PLACEHOLDER) ?? [];
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map));
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, mapTexts(one, map)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [map(name), mapTexts(one, map)]));
}

async function findAllKeys(text: string): Promise<KeyRange[]> {
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
    search(start, OVERLAP.key, findKeys);
    search(start, OVERLAP.block, findPrivateKeys);
  }
  return ranges;
}

/** Known values and forms, in plain text and encoded. */
function findKeys(text: string): KeyRange[] {
  return [
    ...findPlainKeys(text),
    ...findEncodedKeys(text, (plain) => [...findPlainKeys(plain), ...findPrivateKeys(plain)]),
  ];
}

function findPlainKeys(text: string): KeyRange[] {
  return [...values.find(text).map(([from, to]) => ({ from, to, name: KNOWN })), ...findKeyForms(text)];
}

/** Ranges that overlap or touch become one placeholder, with the name of the first. */
function replaceRanges(text: string, ranges: KeyRange[]): string {
  if (ranges.length === 0) return text;
  ranges.sort((a, b) => a.from - b.from || b.to - a.to);
  let result = '';
  let end = 0;
  for (const { from, to, name } of ranges) {
    if (from > end || result === '') result += text.slice(end, from) + placeholderFor(name);
    end = Math.max(end, to);
  }
  return result + text.slice(end);
}

function placeholderFor(name: string): string {
  return name === MARKED ? '[redacted]' : `[redacted: ${name}]`;
}
