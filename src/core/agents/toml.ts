/** TOML files of agents and compositions: the values of the keys, and where they stand. */
import { parse, TomlError } from 'smol-toml';
import { phrase } from '#contract/approvals/phrases.ts';
import { keyParts, type TomlPair, tomlTree } from '../base/toml-tree.ts';
import { type Entry, fault, type Position, type ReadFile, START, treePlace } from './entries.ts';

/** `tables`: those whose keys are read as `table.key`. */
export function readToml(text: string, tables: readonly string[] = []): ReadFile {
  const source = text.replace(/^\uFEFF/, '');
  let values: Record<string, unknown>;
  try {
    values = parse(source);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const why = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? '';
    return { ok: false, error: fault(error, phrase('bad_toml', { why })) };
  }
  // Most files have no fault, and nobody asks where their keys stand.
  let known: ReadonlyMap<string, Places> | null = null;
  const placesOf = (key: string): Places => (known ??= placesIn(source)).get(key) ?? NOWHERE;
  const entries = flattened(values, tables).map(([key, value]): Entry => {
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
  return { ok: true, entries, body: null };
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
