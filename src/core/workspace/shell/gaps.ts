/** What the tree leaves out: only blanks may stand between the parts of a script. */
import type { Node } from 'web-tree-sitter';
import { untold } from './words.ts';

/** What may stand between two parts of a script. */
const BLANK = /^(?:[ \t\n]|\\\n)*$/;
const WORDS = new Set(
  'word number string raw_string ansi_c_string concatenation simple_expansion expansion command_substitution process_substitution arithmetic_expansion variable_name'.split(
    ' ',
  ),
);
/** Between the quotes of a string and inside of words nothing is blank: the words are read by themselves. */
export const isWord = (node: Node): boolean => WORDS.has(node.type) || node.type === '$';

const isPart = (node: Node): boolean =>
  isWord(node) || /^(command_name|variable_assignment|test_operator)$/.test(node.type);

/** Of which the parts may stand on several lines; elsewhere the end of a line ends a command. */
const ON_LINES =
  /^(program|list|pipeline|subshell|compound_statement|do_group|(if|while|for|case)_statement|(elif|else)_clause|case_item|array|(command|process)_substitution)$/;

export function checkGap(source: string, start: number, end: number): string {
  const gap = source.slice(start, end);
  return BLANK.test(gap) ? gap : untold('there is more than was read');
}

/** Two words without a blank between them are one word for the shell. */
export function checkGaps(node: Node, source: string): void {
  const { children } = node;
  for (const [index, child] of children.entries()) {
    const before = children[index - 1];
    const from = before?.endIndex ?? node.startIndex;
    // What a document says stands behind the rest of its line, which belongs to other nodes.
    if (child.startIndex < from || child.type === 'heredoc_body' || before?.type === 'heredoc_body') continue;
    const gap = checkGap(source, from, child.startIndex);
    if (!ON_LINES.test(node.type) && /\n/.test(gap.replaceAll('\\\n', ''))) untold('a line ends');
    if (before && isPart(before) && isPart(child) && !/[ \t]/.test(gap)) untold('two words are one');
  }
}
