/** The syntax tree of a TOML text: where everything in it stands. What it says is read by `smol-toml`. */
import { createRequire } from 'node:module';
import type * as Parser from 'toml-eslint-parser';

type TomlTree = ReturnType<typeof Parser.parseTOML>;
type Top = TomlTree['body'][0]['body'][number];
export type TomlTable = Extract<Top, { type: 'TOMLTable' }>;
export type TomlPair = Extract<Top, { type: 'TOMLKeyValue' }>;

/** In code units, without long texts and blanks: the parser takes half a second for so much. */
const MAX_TEXT = 256 * 1024;
/** In code units: a text from here on is not shown to the parser, which runs out of stack above some hundred thousand. */
const LONG = 4096;
const TEXT_OR_COMMENT = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/g;

/** The parser is loaded from node_modules when the first tree is asked for: who reads only values does without it. */
const load = createRequire(import.meta.url);

/** Of a text that `smol-toml` takes. Null where it is too much, or says what this parser refuses, like a 30th of February. */
export function tomlTree(text: string): TomlTree | null {
  const ends = new Map<number, number>();
  // A byte order mark is nothing that the parser knows. With blanks instead, everything stands where it stood.
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
