/** What comes to stand where a block of lines was found that differs from what was asked for: in the file's own form. */
import { bareLine, type Lines } from './edit-lines.ts';

/** The text that is looked for, as lines. */
export interface Block {
  /** As they were given. */
  given: string[];
  /** Without spaces and tabs at their ends. */
  lines: string[];
  /** The last line ends with a break, which is replaced too. */
  ended: boolean;
}

interface Place {
  lines: Lines;
  /** Index of the first line. */
  at: number;
  block: Block;
}

export function blockOf(text: string): Block {
  const given = text.split(/\r?\n/);
  const ended = given.length > 1 && given.at(-1) === '';
  if (ended) given.pop();
  return { given, lines: given.map(bareLine), ended };
}

/**
 * What is replaced and by what: lines that the new text only repeats from the old one, before and behind its change,
 * stay as the file has them; new ones are indented as the file is, and get its kind of line break.
 */
export function spliced(text: string, place: Place, newText: string): [start: number, end: number, fresh: string] {
  const { lines, at, block } = place;
  const { given, ended } = block;
  const last = at + given.length - 1;
  const breakOf = (index: number): string => text.slice(lines.ends[index], lines.starts[index + 1] ?? text.length);
  const own = breakOf(at) || breakOf(Math.max(0, at - 1)) || '\n';
  const kept = given.map((_, index) => ({ text: lineAt(text, lines, at + index), end: breakOf(at + index) || own }));
  // A break at the end is followed by a line of its own, which is empty.
  const old = ended ? [...given, ''] : given;
  const was = ended ? [...kept, { text: '', end: '' }] : kept;
  const asked = newText.split(/\r?\n/);
  const [before, behind] = repeated(old, asked);
  const changed = [before, Math.min(given.length, old.length - behind)] as const;
  const inner = reindented(text, place, asked.slice(before, asked.length - behind), changed);
  const fresh = [
    ...was.slice(0, before),
    ...inner.map((line) => ({ text: line, end: own })),
    ...was.slice(was.length - behind),
  ];
  const joined = fresh.map((line, index) => line.text + (index < fresh.length - 1 ? line.end : '')).join('');
  // The file ends without a break, and goes on doing so.
  const endless = ended && breakOf(last) === '' && joined.endsWith(own);
  const end = ended ? (lines.starts[last + 1] ?? text.length) : lines.ends[last]!;
  return [lines.starts[at]!, end, endless ? joined.slice(0, -own.length) : joined];
}

const lineAt = (text: string, { starts, ends }: Lines, index: number): string => text.slice(starts[index], ends[index]);

/** How many lines at the beginning, and how many of the others at the end, are the same. */
function repeated(old: readonly string[], asked: readonly string[]): [before: number, behind: number] {
  const most = Math.min(old.length, asked.length);
  let before = 0;
  while (before < most && old[before] === asked[before]) before++;
  let behind = 0;
  while (behind < most - before && old.at(-1 - behind) === asked.at(-1 - behind)) behind++;
  return [before, behind];
}

const INDENT = /^[ \t]*/;
const indentOf = (line: string): string => INDENT.exec(line)![0];

/**
 * Indented as the file is: where each indent of the old lines, or else of those that change, has one in the file; and
 * where all of them differ by the same, other indents by that. Else as they were given.
 */
function reindented(
  text: string,
  place: Place,
  asked: readonly string[],
  changed: readonly [number, number],
): readonly string[] {
  const known = indents(text, place, [0, place.block.given.length]) ?? indents(text, place, changed);
  if (known === null) return asked;
  const shift = shiftOf([...known]);
  return asked.map((line) => {
    const indent = indentOf(line);
    return indent.length === line.length ? line : (known.get(indent) ?? shift(indent)) + line.slice(indent.length);
  });
}

/** Indents of the block's lines from `from` up to `to`, with those that the file has for them; null where one has several. */
function indents(
  text: string,
  { lines, at, block }: Place,
  [from, to]: readonly [number, number],
): Map<string, string> | null {
  const known = new Map<string, string>();
  for (let index = from; index < to; index++) {
    const is = lineAt(text, lines, at + index);
    if (block.lines[index] === '' || bareLine(is) === '') continue;
    const [asked, own] = [indentOf(block.given[index]!), indentOf(is)];
    if ((known.get(asked) ?? own) !== own) return null;
    known.set(asked, own);
  }
  return known;
}

/** What makes the file's indent of any: something more before it, or something less; itself where that is not so for all. */
function shiftOf(known: readonly (readonly [from: string, to: string])[]): (indent: string) => string {
  const [[from, to] = ['', '']] = known;
  const more = to.slice(0, Math.max(0, to.length - from.length));
  if (known.every(([a, b]) => b === more + a)) return (indent) => more + indent;
  const less = from.slice(0, Math.max(0, from.length - to.length));
  if (known.every(([a, b]) => a === less + b))
    return (indent) => (indent.startsWith(less) ? indent.slice(less.length) : indent);
  return (indent) => indent;
}
