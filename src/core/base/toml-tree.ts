/** The syntax tree of a TOML text, for positions; values are read with `smol-toml`. */
import { createRequire } from 'node:module';
import type * as Parser from 'toml-eslint-parser';

type TomlTree = ReturnType<typeof Parser.parseTOML>;
type Top = TomlTree['body'][0]['body'][number];
export type TomlTable = Extract<Top, { type: 'TOMLTable' }>;
export type TomlPair = Extract<Top, { type: 'TOMLKeyValue' }>;
export type InlineTable = Extract<TomlPair['value'], { type: 'TOMLInlineTable' }>;

/** Longest text without blanks and long strings, in code units: the parser takes half a second for it. */
const MAX_TEXT = 256 * 1024;
/** Strings from this length on, in code units, are blanked for the parser, which runs out of stack above some hundred thousand. */
const LONG = 4096;
const TEXT_OR_COMMENT = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/g;

/** Loads the parser with the first tree, because reading values does not need it. */
const load = createRequire(import.meta.url);

/** The tree of a text that `smol-toml` accepts. Null where it is too large, or where this parser refuses it (a 30th of February, say). */
export function tomlTree(text: string): TomlTree | null {
  const ends = new Map<number, number>();
  // The parser does not know byte order marks. Replacing with blanks keeps all positions.
  const short = text.replace(/^\uFEFF/, ' ').replaceAll(TEXT_OR_COMMENT, (one, from: number) => {
    if (one.length < LONG || one.startsWith('#')) return one;
    ends.set(from, from + one.length);
    return `""${one.slice(2).replaceAll(/[^\n]/g, ' ')}`;
  });
  if (short.replaceAll(/ +/g, '').length > MAX_TEXT) return null;
  const { parseTOML } = load('toml-eslint-parser') as typeof Parser;
  try {
    const tree = parseTOML(short, { tomlVersion: '1.1' });
    for (const node of tree.body[0].body) {
      const end = node.type === 'TOMLKeyValue' ? ends.get(node.value.range[0]) : undefined;
      if (node.type === 'TOMLKeyValue' && end !== undefined) node.range[1] = node.value.range[1] = end;
    }
    return tree;
  } catch {
    return null;
  }
}

/** The parts of a dotted key. */
export function keyParts({ key }: TomlTable | TomlPair): string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
}
