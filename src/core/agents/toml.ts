/** TOML agents: the values of the keys, and where they stand. */
import { parse, TomlError } from 'smol-toml';
import { keyParts, tomlTree } from '../base/toml-tree.ts';
import { type Entry, fault, type Position, type ReadFile, START } from './entries.ts';

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
  // Most agents have no fault, and nobody asks where their keys stand.
  let known: ReadonlyMap<string, Places> | null = null;
  const placesOf = (key: string): Places => (known ??= placesIn(source)).get(key) ?? NOWHERE;
  const entries = Object.entries(values).map(([key, value]): Entry => {
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

type Places = Pick<Entry, 'at' | 'valueAt' | 'items'>;
/** In a text that has no tree. */
const NOWHERE: Places = { at: START, valueAt: START, items: [] };

/** Positions by the first part of each key; a table's header is both its key and its value. */
function placesIn(text: string): Map<string, Places> {
  const found = new Map<string, Places>();
  for (const node of tomlTree(text)?.body[0].body ?? []) {
    const [name = ''] = keyParts(node);
    if (found.has(name)) continue;
    const value = node.type === 'TOMLKeyValue' ? node.value : node;
    const items = value.type === 'TOMLArray' ? value.elements : [];
    found.set(name, { at: positionOf(node), valueAt: positionOf(value), items: items.map(positionOf) });
  }
  return found;
}

function positionOf({ loc: { start } }: { loc: { start: Position } }): Position {
  return { line: start.line, column: start.column + 1 };
}
