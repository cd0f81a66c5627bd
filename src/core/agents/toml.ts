/** TOML agents: the values from the parser, and the places of the keys from a scan of the text, which the parser does not tell. */
import { parse, TomlError } from 'smol-toml';
import { type Entry, fault, type Place, type ReadFile } from './entries.ts';

export function readToml(text: string): ReadFile {
  const source = text.replace(/^\uFEFF/, '');
  let values: Record<string, unknown>;
  try {
    values = parse(source);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? '';
    return { ok: false, error: fault(error, `the file is not valid TOML: ${message}`) };
  }
  const { places } = scan(source);
  const entries = Object.entries(values).map(([key, value]): Entry => {
    const { at, valueAt, items } = places.get(key) ?? NOWHERE;
    return { key, at, value, valueAt, items };
  });
  return { ok: true, entries, body: null };
}

type Places = Pick<Entry, 'at' | 'valueAt' | 'items'>;
const NOWHERE: Places = { at: { line: 1, column: 1 }, valueAt: { line: 1, column: 1 }, items: [] };
const HEADER = /\[{1,2}[ \t]*("[^"\n]*"|'[^'\n]*'|[\w-]+)[^\n]*/y;
const KEY = /("[^"\n]*"|'[^'\n]*'|[\w-]+)[ \t]*(?:\.[^=\n]*)?=[ \t]*/y;
const TEXT = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;
const GAP = /(?:[ \t\r\n]+|#[^\n]*)+/y;

/** A key with its value, as offsets in the text. */
export interface KeySpan {
  from: number;
  valueFrom: number;
  /** May have blanks before it. */
  to: number;
}

/** Where the keys at the top of a text stand, and where its first table begins: null where there is none. */
export function keysAtTop(text: string): { keys: ReadonlyMap<string, KeySpan>; tables: number | null } {
  const { spans, tables } = scan(text);
  return { keys: spans, tables };
}

interface Scanned {
  /** A table's name counts as its key. */
  places: Map<string, Places>;
  spans: Map<string, KeySpan>;
  tables: number | null;
}

/** The keys at the top of a text that the parser took. */
function scan(text: string): Scanned {
  const found = new Map<string, Places>();
  const spans = new Map<string, KeySpan>();
  const lines = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const place = (offset: number): Place => {
    let [line, last] = [0, lines.length - 1];
    while (line < last) {
      const middle = Math.ceil((line + last) / 2);
      if (lines[middle]! <= offset) line = middle;
      else last = middle - 1;
    }
    return { line: line + 1, column: offset - lines[line]! + 1 };
  };
  const nameOf = (key: string) => key.replace(/^(["'])(.*)\1$/, '$2');
  const note = (key: string, at: number, valueAt: number, items: number[]) => {
    const name = nameOf(key);
    if (!found.has(name)) found.set(name, { at: place(at), valueAt: place(valueAt), items: items.map(place) });
  };
  let tables: number | null = null;
  for (let offset = 0; offset < text.length;) {
    offset = after(GAP, text, offset)?.end ?? offset;
    const header = after(HEADER, text, offset);
    const key = header ? null : after(KEY, text, offset);
    if (header) {
      tables ??= offset;
      note(header.first, offset, offset, []);
      offset = header.end;
    } else if (key) {
      const { end, items } = valueAt(text, key.end);
      if (tables === null) {
        note(key.first, offset, key.end, items);
        spans.set(nameOf(key.first), { from: offset, valueFrom: key.end, to: end });
      }
      offset = end;
    } else offset++;
  }
  return { places: found, spans, tables };
}

function after(pattern: RegExp, text: string, offset: number): { end: number; first: string } | null {
  pattern.lastIndex = offset;
  const match = pattern.exec(text);
  return match && { end: offset + match[0].length, first: match[1] ?? '' };
}

/** Where the value that begins here ends, and where the items of a list begin. */
function valueAt(text: string, start: number): { end: number; items: number[] } {
  const items: number[] = [];
  let depth = 0;
  let expectsItem = false;
  let offset = start;
  while (offset < text.length) {
    const gap = depth > 0 ? after(GAP, text, offset) : null;
    if (gap) {
      offset = gap.end;
      continue;
    }
    const char = text[offset]!;
    if (depth === 0 && (char === '\n' || char === '#')) break;
    if (expectsItem && char !== ']') {
      items.push(offset);
      expectsItem = false;
    }
    if (char === '[' || char === '{') {
      depth++;
      if (depth === 1 && char === '[') expectsItem = true;
    } else if (char === ']' || char === '}') depth--;
    else if (char === ',' && depth === 1 && text[start] === '[') expectsItem = true;
    offset = after(TEXT, text, offset)?.end ?? offset + 1;
  }
  return { end: offset, items };
}
