/** TOML files of agents and compositions: the values of the keys, and where they stand. */
import { parse, TomlError } from 'smol-toml';
import type { Fault } from '#contract/agent.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { keyParts, type TomlPair, tomlTree } from '../base/toml-tree.ts';
import { type Entry, fault, type Position, type ReadFile, START, treePlace } from './entries.ts';

/** `tables`: those whose keys are read as `table.key`. */
export function readToml(text: string, tables: readonly string[] = []): ReadFile {
  const source = text.replace(/^\uFEFF/, '');
  const { errors, read, emptied } = readPastErrors(source);
  const keys = read && { entries: entriesIn(read.values, read.source, tables), body: null, faults: [] };
  if (errors.length === 0 && keys) return { ok: true, ...keys };
  return { ok: false, errors, rest: keys && { ...keys, emptied } };
}

type TomlTable = Record<string, unknown>;

/** The readable part of a TOML text, with its syntax errors. */
interface ReadableToml {
  errors: Fault[];
  /** Null if the text cannot be parsed without its wrong lines either. */
  read: { values: TomlTable; source: string } | null;
  /** Numbers of the lines without their values, from 1. */
  emptied: ReadonlySet<number>;
}

/** Maximum number of syntax errors of one file: each one needs another parse. */
const MAX_ERRORS = 20;
const KEY = /^\s*[\w."'-]+\s*=/;

/**
 * Reads past lines with a wrong value, and past keys that are there again. A line that is still wrong without its value
 * ends the reading: the cause may be a line above it.
 */
function readPastErrors(source: string): ReadableToml {
  const lines = source.split('\n');
  const emptied = new Set<number>();
  const errors: Fault[] = [];
  for (;;) {
    const text = lines.join('\n');
    const parsed = parseToml(text);
    if ('values' in parsed) return { errors, read: { values: parsed.values, source: text }, emptied };
    const { line, error, isTwice } = parsed;
    errors.push(error);
    const [head] = KEY.exec(lines[line - 1] ?? '') ?? [];
    if (head === undefined || emptied.has(line) || errors.length === MAX_ERRORS)
      return { errors: errors.slice(0, Math.max(emptied.size, 1)), read: null, emptied };
    lines[line - 1] = isTwice ? '' : `${head} ""`;
    emptied.add(line);
  }
}

function parseToml(source: string): { values: TomlTable } | { line: number; error: Fault; isTwice: boolean } {
  try {
    return { values: parse(source) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const why = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? '';
    return { line: error.line, error: fault(error, phrase('bad_toml', { why })), isTwice: /redefine/.test(why) };
  }
}

function entriesIn(values: TomlTable, source: string, tables: readonly string[]): Entry[] {
  // Most files have no fault, and nobody asks where their keys stand.
  let known: ReadonlyMap<string, Places> | null = null;
  const placesOf = (key: string): Places => (known ??= placesIn(source)).get(key) ?? NOWHERE;
  return flattened(values, tables).map(([key, value]): Entry => {
    return {
      key,
      value,
      get at() {
        return placesOf(key).at;
      },
      get valueAt() {
        return placesOf(key).valueAt;
      },
      get items() {
        return placesOf(key).items;
      },
    };
  });
}

/** The keys of these tables as `table.key`, all others as they are. */
function flattened(values: Readonly<Record<string, unknown>>, tables: readonly string[]): [string, unknown][] {
  return Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    if (!tables.includes(key) || !isTable(value)) return [[key, value]];
    return Object.entries(value).map(([inner, one]) => [`${key}.${inner}`, one]);
  });
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

type Places = Pick<Entry, 'at' | 'valueAt' | 'items'>;
/** In a text that has no tree. */
const NOWHERE: Places = { at: START, valueAt: START, items: [] };

/** Positions by the first part of each key, and by its first two; a table's header is both its key and its value. */
function placesIn(text: string): Map<string, Places> {
  const found = new Map<string, Places>();
  const add = (parts: readonly string[], places: Places): void => {
    for (const key of [parts[0] ?? '', parts.slice(0, 2).join('.')]) if (!found.has(key)) found.set(key, places);
  };
  const addPair = (pair: TomlPair, above: readonly string[]): void => {
    const parts = [...above, ...keyParts(pair)];
    const { value } = pair;
    const items = value.type === 'TOMLArray' ? value.elements : [];
    add(parts, { at: positionOf(pair), valueAt: positionOf(value), items: items.map(positionOf) });
    if (value.type === 'TOMLInlineTable') for (const inner of value.body) addPair(inner, parts);
  };
  for (const node of tomlTree(text)?.body[0].body ?? []) {
    if (node.type === 'TOMLKeyValue') {
      addPair(node, []);
      continue;
    }
    const at = positionOf(node);
    add(keyParts(node), { at, valueAt: at, items: [] });
    for (const pair of node.body) addPair(pair, keyParts(node));
  }
  return found;
}

function positionOf({ loc: { start } }: { loc: { start: Position } }): Position {
  return treePlace(start);
}
