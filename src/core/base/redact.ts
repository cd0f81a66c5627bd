/**
 * Takes secrets out of text that leaves the program: spans, lines for developers, exports, Markdown files, errors. What is
 * secret: the values that are known to be (kept keys, the environment, what the person names), texts of the form of a key,
 * and what the person's patterns match. The history itself is not changed.
 */
import type { LinearPattern, Range } from './linear-pattern.ts';

const REDACTED = '[redacted]';

/** Shorter values are no secrets: they would be found in any text. */
const MIN_VALUE = 8;
/** The beginning of a value by which a part of it is known, where a text was cut in the middle of it. */
const MIN_PART = 12;

/** Where a word begins, also behind a sign that JSON or an address has in other letters. */
const START = /(?:\b|(?<=\\[bfnrt]|\\u[\da-fA-F]{4}|%[\da-fA-F]{2}))/.source;

/** Forms of keys and tokens, each known by how it begins. Every repetition is bounded, or ends where it can only end. */
const SHAPES = new RegExp(
  [
    // Up to its end, or as far as there is anything of it.
    /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:(?:(?!-----BEGIN)[\s\S]){0,20000}?-----END [A-Z ]{0,30}PRIVATE KEY-----|[\w\s+/=\\:,-]{0,20000})/,
    /<(?:sk|pk|rk)[-_](?:ant|live|test|proj|svcacct|admin|or|lf)[-_][\w-]{12,400}/,
    /<sk-[A-Za-z0-9]{20,200}/,
    /<(?:gh[opsur]_|github_pat_|glpat-|npm_|hf_|gsk_|xai-|pypi-)[\w-]{16,300}/,
    /<xox[abposr]-[\w-]{10,300}/,
    /<(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
    /<AIza[\w-]{35}/,
    /<eyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,2000}/,
    /(?<=<(?:[Bb]earer|BEARER)(?:\s|%20){1,4})[\w~+/.=-]{16,4000}/,
    /(?<=<[a-z][a-z\d+.-]{1,20}:\/\/[^\s/:@]{0,200}:)[^\s/?#]{3,400}(?=@)/,
  ]
    .map(({ source }) => source.replace(/(?<!\?)<(?![=!])/, START))
    .join('|'),
  'g',
);

// Module state on purpose: every sink of a process is held against the same secrets.
const known = new Map<string, readonly string[]>();
let needles: readonly string[] = [];
let patterns: readonly LinearPattern[] = [];

/** These values are secret from now on, in place of those of the same source. */
export function knowSecrets(source: string, values: readonly string[]): void {
  known.set(source, values);
  const all = new Set([...known.values()].flat().flatMap(spellings));
  needles = [...all].filter(({ length }) => length >= MIN_VALUE);
}

/** What the person's expressions match is secret from now on. */
export function knowPatterns(all: readonly LinearPattern[]): void {
  patterns = all;
}

/** The text with `[redacted]` in place of everything secret. */
export function redact(text: string): string {
  const ranges = [...needles.flatMap((needle) => rangesOf(needle, text)), ...shapesIn(text)];
  for (const pattern of patterns) ranges.push(...pattern.rangesIn(text));
  if (ranges.length === 0) return text;
  ranges.sort(([a], [b]) => a - b);
  let [done, end] = ['', 0];
  for (const [from, to] of ranges) {
    // What overlaps, or goes on from, what was replaced is part of it.
    if (from > end || done === '') done += text.slice(end, from) + REDACTED;
    end = Math.max(end, to);
  }
  return done + text.slice(end);
}

/** The same in every text of plain data, names of fields included. */
export function redacted<T>(value: T): T {
  return deep(value) as T;
}

function deep(value: unknown): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(deep);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, deep(one)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [redact(name), deep(one)]));
}

/** As it is, and as it stands within JSON and addresses. */
function spellings(value: string): string[] {
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())];
}

/** Where the value stands, also where the text was cut in the middle of it. */
function rangesOf(needle: string, text: string): Range[] {
  const part = needle.slice(0, MIN_PART);
  const found: Range[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    let to = at + part.length;
    while (to < at + needle.length && text[to] === needle[to - at]) to++;
    const isCut = to === text.length || /^\s*(?:…|\.\.\.|\[)/.test(text.slice(to, to + 8));
    if (to === at + needle.length || isCut) found.push([at, to]);
  }
  return found;
}

/** Where texts of the form of a key or a token stand. */
export function shapesIn(text: string): Range[] {
  return Array.from(text.matchAll(SHAPES), ({ index, 0: { length } }) => [index, index + length] as const);
}
