/** Conditions: `[ … ]` is a command with words, `[[ … ]]` runs nothing but what is expanded in it, and what calculates. */
import type { Node } from 'web-tree-sitter';
import { checkGaps, isWord } from './gaps.ts';
import { constant, untold, type Word } from './words.ts';

/** Deepest nesting that is looked into. */
const MAX_DEPTH = 60;

export function readTest(node: Node, source: string, read: (node: Node) => Word): Word[] {
  return node.children.flatMap((child) => {
    if (isWord(child)) return [read(child)];
    if (/^(unary|binary)_expression$/.test(child.type)) {
      checkGaps(child, source);
      return readTest(child, source, read);
    }
    if (/^(\[|\]|=|==|!=|!|-[a-z]+)$/.test(child.text) && child.childCount === 0) return [constant(child.text)];
    return untold(`"${child.type}" is no test`);
  });
}

export function readCondition(node: Node, source: string, read: (node: Node) => Word, depth: number): void {
  if (depth > MAX_DEPTH) untold('it is nested too deep');
  for (const child of node.children) {
    if (isWord(child)) read(child);
    else if (/^(unary|binary|parenthesized)_expression$/.test(child.type)) {
      checkGaps(child, source);
      readCondition(child, source, read, depth + 1);
    } else if (/^(extglob_pattern|regex)$/.test(child.type)) checkPattern(child);
    else if (/^-(eq|ne|lt|le|gt|ge|v|R)$/.test(child.text)) untold('it calculates');
    else if (!/^(\[\[|\]\]|[()!<>]|=|==|!=|=~|&&|\|\||-[a-z]+)$/i.test(child.text))
      untold(`"${child.type}" is no test`);
  }
}

/** Patterns may be written in many ways; the usual ones will do. */
export function checkPattern(node: Node): void {
  if (!/^(?:[\w.,:@%+=/*?-]|"[\w .,:@%+=/*?-]*"|'[\w .,:@%+=/*?-]*')+$/.test(node.text)) untold('a pattern is unusual');
}
