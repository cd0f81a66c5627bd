/** Finds and changes one key in the text of a TOML file, so that everything else of it stays as the person wrote it. */
import type { TomlTable as Table } from 'smol-toml';
import { dotted, keyOf } from './dotted-path.ts';
import { keyParts, type TomlPair, type TomlTable, tomlTree } from '../base/toml-tree.ts';

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
 * Returns a function that finds the place of a key: its own, else that of the first in it (the tables of a list),
 * else that of the nearest table above it, else the beginning.
 */
export function placeFinder(text: string): (path: readonly string[]) => Place {
  let entries: Entry[] | null = null;
  return (path) => {
    entries ??= entriesOf(text);
    for (let length = path.length; length > 0; length--) {
      const wanted = pathOf(path.slice(0, length));
      const found =
        entries.find((entry) => entry.path === wanted) ?? entries.find((entry) => entry.path.startsWith(`${wanted}\0`));
      if (found) return { line: found.first, column: found.column };
    }
    return { line: 1, column: 1 };
  };
}

/**
 * The text with the key set to a TOML literal, or with null without the key. Null where only a rewrite could do that.
 * Callers must check the result: keys of inline tables, and of a text without a syntax tree, are not found.
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
  if (literal === null) return null;
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
function literalOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
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
