/** Finds and changes one key in the text of a TOML file, so that everything else of it stays as the person wrote it. */
import type { TomlTable as Table } from 'smol-toml';
import { dotted, keyOf } from './dotted-path.ts';
import { type InlineTable, keyParts, type TomlPair, type TomlTable, tomlTree } from '../base/toml-tree.ts';

/** A table's header or a key; the tables of a list are told apart by their index. Keys within a value count with it. */
interface Entry {
  path: string;
  /** Path of the table that it stands in; of a header its own. */
  table: string;
  /** From 1, of the header or of the key with its value. */
  first: number;
  column: number;
  last: number;
  /** Null for a header. */
  pair: TomlPair | null;
}

/** Both from 1. */
export interface Place {
  line: number;
  column: number;
}

/**
 * Returns a function that finds the place of a key, or of what stands in a list: its own, else that of the first in it
 * (the tables of a list), else that of the nearest table above it, else the beginning.
 */
export function placeFinder(text: string): (path: readonly string[]) => Place {
  let places: (Place & { path: string })[] | null = null;
  return (path) => {
    places ??= entriesOf(text).flatMap((entry) => [
      { path: entry.path, line: entry.first, column: entry.column },
      ...(entry.pair ? placesIn(entry.pair.value, entry.path) : []),
    ]);
    for (let length = path.length; length > 0; length--) {
      const wanted = pathOf(path.slice(0, length));
      const found =
        places.find((one) => one.path === wanted) ?? places.find((one) => one.path.startsWith(`${wanted}\0`));
      if (found) return { line: found.line, column: found.column };
    }
    return { line: 1, column: 1 };
  };
}

/** Of what stands within a value: in an inline table by its keys, in a list by its index. */
function placesIn(value: TomlPair['value'], above: string): (Place & { path: string })[] {
  const parts =
    value.type === 'TOMLInlineTable'
      ? value.body.map((pair) => ({ key: pathOf(keyParts(pair)), at: pair, inner: pair.value }))
      : value.type === 'TOMLArray'
        ? value.elements.map((one, index) => ({ key: String(index), at: one, inner: one }))
        : [];
  return parts.flatMap(({ key, at: { loc }, inner }) => {
    const path = `${above}\0${key}`;
    return [{ path, line: loc.start.line, column: loc.start.column + 1 }, ...placesIn(inner, path)];
  });
}

/**
 * The text with the key set to a TOML literal, or with null without the key. Null where only a rewrite could do that.
 * Callers must check the result: keys of a text without a syntax tree are not found.
 */
export function editKey(text: string, path: readonly string[], literal: string | null): string | null {
  const entries = entriesOf(text);
  const lines = text.split('\n');
  const wanted = pathOf(path);
  const known = entries.find((entry) => entry.pair && entry.path === wanted);
  if (known?.pair && literal !== null) {
    const [from, to] = known.pair.value.range;
    return text.slice(0, from) + literal + text.slice(to);
  }
  if (known) return lines.toSpliced(known.first - 1, known.last - known.first + 1).join('\n');
  const [around] = entries.flatMap(({ pair, path: above }) =>
    pair?.value.type === 'TOMLInlineTable' && wanted.startsWith(`${above}\0`)
      ? [{ table: pair.value, depth: above.split('\0').length }]
      : [],
  );
  if (around) return editInline(text, around.table, path.slice(around.depth), literal);
  if (literal === null) return text;
  const table = path.slice(0, -1);
  const entry = `${keyOf(path.at(-1) ?? '')} = ${literal}`;
  const members = entries.filter((one) => one.table === pathOf(table));
  const beside = members.length > 0 ? undefined : entries.findLast((one) => isDottedIn(one, table));
  if (beside) {
    const above = beside.table === '' ? 0 : beside.table.split('\0').length;
    return lines.toSpliced(beside.last, 0, `${dotted(path.slice(above))} = ${literal}`).join('\n');
  }
  if (table.length > 0 && members.length === 0) {
    const body = text.trimEnd();
    return `${body}${body ? '\n\n' : ''}[${dotted(table)}]\n${entry}\n`;
  }
  return lines.toSpliced(members.at(-1)?.last ?? 0, 0, entry).join('\n');
}

/** The same for a key of an inline table, by its path within it. */
function editInline(text: string, table: InlineTable, path: readonly string[], literal: string | null): string | null {
  const put = ([from, to]: readonly [number, number], by: string): string => text.slice(0, from) + by + text.slice(to);
  const found = table.body.find((pair) => keyParts(pair).every((part, index) => part === path[index]));
  const below = path.slice(found ? keyParts(found).length : 0);
  if (found && below.length > 0)
    return found.value.type === 'TOMLInlineTable' ? editInline(text, found.value, below, literal) : null;
  if (found && literal !== null) return put(found.value.range, literal);
  if (found) {
    const [from, to] = found.range;
    const [comma] = /^[ \t]*,[ \t]*/.exec(text.slice(to)) ?? [''];
    const [before] = comma === '' ? (/,\s*$/.exec(text.slice(0, from)) ?? ['']) : [''];
    return put([from - before.length, to + comma.length], '');
  }
  if (literal === null) return text;
  const entry = `${dotted(path)} = ${literal}`;
  const last = table.body.at(-1)?.range[1];
  return last === undefined ? put(table.range, `{ ${entry} }`) : put([last, last], `, ${entry}`);
}

/** Whether a key makes this table by its dots: a header for the same table would be a second one. */
function isDottedIn(entry: Entry, table: readonly string[]): boolean {
  const isShorter = entry.table === '' || entry.table.split('\0').length < table.length;
  return entry.pair !== null && isShorter && entry.path.startsWith(`${pathOf(table)}\0`);
}

/** The text with a table in place of one of the same path, at its end, or with null without it. Callers must check the result. */
export function editTable(text: string, path: readonly string[], table: Table | null): string {
  const wanted = pathOf(path);
  const isIn = (one: string): boolean => one === wanted || one.startsWith(`${wanted}\0`);
  const gone = new Set(
    entriesOf(text)
      .filter((entry) => isIn(entry.path))
      .flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, index) => first + index)),
  );
  const left = text
    .split('\n')
    .filter((_, index) => !gone.has(index + 1))
    .join('\n');
  if (table === null) return left;
  const body = left.trimEnd();
  const entries = Object.entries(table).map(([key, value]) => `${keyOf(key)} = ${literalOf(value)}`);
  return `${body}${body ? '\n\n' : ''}[${dotted(path)}]\n${entries.join('\n')}\n`;
}

/** A TOML literal on one line. */
export function literalOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalOf).join(', ')}]`;
  // The one character that JSON may have as it is, and TOML not.
  if (typeof value !== 'object' || value === null) return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
  const entries = Object.entries(value).map(([key, one]) => `${keyOf(key)} = ${literalOf(one)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function entriesOf(text: string): Entry[] {
  const top = tomlTree(text)?.body[0].body ?? [];
  return top.flatMap((node) => (node.type === 'TOMLTable' ? entriesIn(node) : [pairEntry(node, [])]));
}

function entriesIn({ resolvedKey, key, body }: TomlTable): Entry[] {
  const { start, end } = key.loc;
  const path = pathOf(resolvedKey);
  const header = { path, table: path, first: start.line, column: 1, last: end.line, pair: null };
  return [header, ...body.map((pair) => pairEntry(pair, resolvedKey))];
}

function pairEntry(pair: TomlPair, table: readonly (string | number)[]): Entry {
  const { start, end } = pair.loc;
  const path = pathOf([...table, ...keyParts(pair)]);
  return { path, table: pathOf(table), first: start.line, column: start.column + 1, last: end.line, pair };
}

function pathOf(parts: readonly (string | number)[]): string {
  return parts.join('\0');
}
