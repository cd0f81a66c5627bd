/** Documents in a script (`<<EOF`): where one ends is looked up here as a shell does, and must be where the tree has it. */
import type { Node } from 'web-tree-sitter';
import { expansionsIn } from './expansions.ts';
import { readQuoted, readWord, untold } from './words.ts';

const NONE = new Map<number, number>();

export function readHeredoc(node: Node, source: string): void {
  const part = (type: string): Node | undefined => node.children.find((child) => child.type === type);
  const [start, body, end] = [part('heredoc_start'), part('heredoc_body'), part('heredoc_end')];
  if (!start || !end) untold('a document is none');
  const raw = start.text;
  const mark = readWord(source, start.startIndex, start.endIndex, NONE).text;
  if (mark === null || !/^\w+$/.test(mark) || !/^(\w+|'\w+'|"\w+")$/.test(raw))
    untold('the mark of a document is unusual');
  const tabs = source.startsWith('<<-', node.startIndex);
  const from = source.indexOf('\n', start.endIndex) + 1;
  if (from === 0 || source[from - 2] === '\\') untold('a document is none');
  if (source.slice(start.endIndex, from).includes('<<')) untold('it has several documents');
  // No shell agrees with the tree where the rest of the line goes on behind the document.
  if (node.children.some((child) => child.endIndex > from && child !== body && child !== end))
    untold('a line goes on behind a document');
  let [at, close] = [from, -1];
  while (at < source.length && close < 0) {
    const next = source.indexOf('\n', at);
    const line = source.slice(at, next < 0 ? source.length : next);
    if ((tabs ? line.replace(/^\t+/, '') : line) === mark) close = at;
    at = next < 0 ? source.length : next + 1;
  }
  const found = close < 0 ? -1 : source.indexOf(mark, close);
  if (found !== end.startIndex || end.text.trimEnd() !== mark) untold('a document ends elsewhere');
  if (body && (body.startIndex < from || body.endIndex > end.startIndex)) untold('a document is elsewhere');
  if (raw !== mark) {
    if (body && expansionsIn(body).size > 0) untold('a document is read in two ways');
    return;
  }
  readQuoted(source.slice(0, close), from, body ? expansionsIn(body) : NONE, '');
  if (/\\\n/.test(source.slice(from, close))) untold('a line of a document goes on');
}
