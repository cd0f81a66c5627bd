/** The keys of a TOML text with their positions; values are read with `smol-toml`. */
import { createRequire } from 'node:module';
import type * as Parser from 'toml-eslint-parser';

type TomlTree = ReturnType<typeof Parser.parseTOML>;
type Pair = Extract<TomlTree['body'][0]['body'][number], { type: 'TOMLKeyValue' }>;
type TomlContent = Pair['value'];
type Range = readonly [from: number, to: number];

/** Both from 1. */
export interface TextPosition {
  line: number;
  column: number;
}

/** The header of a table, a key with its value, or an element of a list. */
export interface TomlNode extends TextPosition {
  /** Names of tables, the parts of dotted keys, and the indexes of lists. */
  path: readonly string[];
  /** Path of the table that the node is in. A header is in its own table. */
  table: readonly string[];
  /** Range of the whole node; the range of a header excludes the keys below it. */
  range: Range;
  /** Null for a header. */
  value: TomlContent | null;
  valuePosition: TextPosition;
  /** True within the value of another node. */
  isInner: boolean;
}

/** Longest text without blanks and long strings, in code units: the parser takes half a second for it. */
const MAX_TEXT = 256 * 1024;
/** Strings from this length on, in code units, are blanked for the parser, which runs out of stack above some hundred thousand. */
const LONG = 4096;
const TEXT_OR_COMMENT = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/g;

/** Returns whether a part of a TOML text has a comment. */
export function hasComment(text: string): boolean {
  return text.match(TEXT_OR_COMMENT)?.some((one) => one.startsWith('#')) ?? false;
}

/** Loads the parser with the first tree, because reading values does not need it. */
const load = createRequire(import.meta.url);

/** Returns an empty list for a text that is too large, or that this parser refuses and `smol-toml` accepts (a 30th of February). */
export function tomlNodes(text: string): TomlNode[] {
  const ends = new Map<number, number>();
  // The parser does not know byte order marks. Replacing with blanks keeps all positions.
  const short = text.replace(/^\uFEFF/, ' ').replaceAll(TEXT_OR_COMMENT, (one, from: number) => {
    if (one.length < LONG || one.startsWith('#')) return one;
    ends.set(from, from + one.length);
    return `""${one.slice(2).replaceAll(/[^\n]/g, ' ')}`;
  });
  if (short.replaceAll(/ +/g, '').length > MAX_TEXT) return [];
  const { parseTOML } = load('toml-eslint-parser') as typeof Parser;
  const getRange = ({ range: [from, to] }: TomlContent): Range => [from, ends.get(from) ?? to];
  try {
    const [{ body }] = parseTOML(short, { tomlVersion: '1.1' }).body;
    return body.flatMap((node): TomlNode[] => {
      if (node.type === 'TOMLKeyValue') return pairNodes(node, [], getRange);
      const table = node.resolvedKey.map(String);
      const at = getPosition(node);
      const range = [node.range[0], node.key.range[1]] as const;
      const header = { ...at, path: table, table, range, value: null, valuePosition: at, isInner: false };
      return [header, ...node.body.flatMap((pair) => pairNodes(pair, table, getRange))];
    });
  } catch {
    return [];
  }
}

function pairNodes(pair: Pair, table: readonly string[], getRange: (value: TomlContent) => Range): TomlNode[] {
  const add = (node: Pair | TomlContent, value: TomlContent, path: readonly string[], isInner: boolean): TomlNode[] => {
    const range = [node.range[0], getRange(value)[1]] as const;
    const own = { ...getPosition(node), path, table, range, value, valuePosition: getPosition(value), isInner };
    const inner =
      value.type === 'TOMLInlineTable'
        ? value.body.flatMap((one) => add(one, one.value, [...path, ...keyParts(one)], true))
        : value.type === 'TOMLArray'
          ? value.elements.flatMap((one, index) => add(one, one, [...path, String(index)], true))
          : [];
    return [own, ...inner];
  };
  return add(pair, pair.value, [...table, ...keyParts(pair)], false);
}

function keyParts({ key }: Pair): string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
}

function getPosition({ loc: { start } }: { loc: { start: TextPosition } }): TextPosition {
  return { line: start.line, column: start.column + 1 };
}

/**
 * Returns a function that finds the node of a path: its own, else the first within it (a list of tables), else that of the
 * nearest path above; null for none. Reads the text at the first call: a file without a fault needs no positions.
 */
export function nodeFinder(text: string): (path: readonly string[]) => TomlNode | null {
  let nodes: Map<string, TomlNode> | null = null;
  return (path) => {
    nodes ??= firstByPath(tomlNodes(text));
    for (let length = path.length; length > 0; length--) {
      const node = nodes.get(pathKey(path.slice(0, length)));
      if (node) return node;
    }
    return null;
  };
}

/** Returns nodes by path, and by each path above that has no node. */
function firstByPath(nodes: readonly TomlNode[]): Map<string, TomlNode> {
  const found = new Map<string, TomlNode>();
  for (const node of nodes) if (!found.has(pathKey(node.path))) found.set(pathKey(node.path), node);
  for (const node of nodes)
    for (let length = node.path.length - 1; length > 0; length--) {
      const above = pathKey(node.path.slice(0, length));
      if (!found.has(above)) found.set(above, node);
    }
  return found;
}

export function pathKey(path: readonly string[]): string {
  return path.join('\0');
}

/** Returns a function that finds the position of a path as `nodeFinder` does; the beginning where there is none. */
export function positionFinder(text: string): (path: readonly string[]) => TextPosition {
  const findNode = nodeFinder(text);
  return (path) => {
    const { line, column } = findNode(path) ?? { line: 1, column: 1 };
    return { line, column };
  };
}
