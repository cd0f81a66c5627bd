/** Expansions: only those that run nothing beside what the tree has as commands. */
import type { Node } from 'web-tree-sitter';
import { type Expansions, untold } from './words.ts';

const TYPES = new Set([
  'simple_expansion',
  'expansion',
  'command_substitution',
  'process_substitution',
  'arithmetic_expansion',
]);

export function isExpansion({ type }: Node): boolean {
  return type === 'simple_expansion' || type === 'expansion';
}

/** The outermost expansions of a node. */
export function expansionsIn(node: Node): Expansions {
  const found = new Map<number, number>();
  const look = (one: Node): void => {
    if (TYPES.has(one.type)) found.set(one.startIndex, one.endIndex);
    else for (const child of one.namedChildren) look(child);
  };
  look(node);
  return found;
}

/** A variable may hold what calculating would run: only numbers are calculated with. */
export function checkArithmetic(node: Node): void {
  if (!/^\$\(\([\d\s+*/%<>=!&|^~?:-]*\)\)$/.test(node.text)) untold('it calculates');
}

const NAME = String.raw`(?:[A-Za-z_]\w*(?:\[(?:[@*]|\d+)\])?|\d+|[@*#?$!-])`;
const SIMPLE = /^\$(?:[A-Za-z_]\w*|\d|[@*#?$!-])$/;
const BRACED = new RegExp(
  String.raw`^\$\{(?:#?${NAME}|${NAME}(?::?[-+?]|##?|%%?|//?|\^\^?|,,?)(?<rest>[^]*)|${NAME}(?::\d+){1,2})\}$`,
);
const REST = /^[\w\s./:@%+=,*?~-]*$/;

/** `${x@P}`, `${!x}`, `${x:=…}` and what calculates are untold; so is all that is quoted within one. */
export function checkExpansion(node: Node, source: string): void {
  const text = node.text;
  if (node.type === 'simple_expansion') {
    if (!SIMPLE.test(text)) untold('an expansion is unusual');
    return;
  }
  const found = BRACED.exec(text);
  if (!found) untold('an expansion is unusual');
  const rest = found.groups?.['rest'] ?? '';
  const from = node.endIndex - 1 - rest.length;
  let plain = '';
  let at = from;
  for (const child of node.children) {
    if (!TYPES.has(child.type) || child.startIndex < at) continue;
    plain += source.slice(at, child.startIndex);
    at = child.endIndex;
  }
  plain += source.slice(at, node.endIndex - 1);
  if (!REST.test(plain)) untold('an expansion is unusual');
}
