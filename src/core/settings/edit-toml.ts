/** Changes one key or one element of a list in a TOML text: everything else stays as it was written, comments and order too. */
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, type TomlTable as Table } from 'smol-toml';
import { afterLine, lineStart, replaceAll, type Replacement } from '../base/replace.ts';
import { hasComment, pathKey, type TomlNode, tomlNodes } from '../base/toml-tree.ts';
import { dotted, keyOf } from './dotted-path.ts';

/** A path may have indexes of lists in it. */
export type TomlEdit =
  /** Null removes the key, or the element of a list; a table replaces the whole table. */
  | { kind: 'set'; path: readonly string[]; value: unknown }
  /** Adds a table to a list; `index` is its place afterwards. */
  | { kind: 'insert'; path: readonly string[]; index: number; value: Readonly<Record<string, unknown>> }
  | { kind: 'move'; path: readonly string[]; index: number; to: number };

/**
 * Returns the text with the edit, which says exactly that and nothing else. Returns null if only a rewrite of the text could
 * do it, or if it has no such element. The text must be valid TOML.
 */
export function editToml(text: string, edit: TomlEdit): string | null {
  const before = parse(text);
  const wanted = withEdit(before, edit);
  if (wanted === null || isDeepStrictEqual(structuredClone(before), wanted)) return wanted && text;
  const candidates = createCandidates(text, edit).flatMap((one) => (one === null ? [] : [withEndsOf(text, one), one]));
  return candidates.find((one) => isSame(one, wanted, edit)) ?? null;
}

/** Returns a new text for the values after the edit, without comments; null as `editToml` if there is no such element. */
export function rewriteToml(text: string, edit: TomlEdit): string | null {
  const wanted = withEdit(parse(text), edit);
  return wanted && withEndsOf(text, stringify(wanted));
}

/** Returns the values after the edit; null if there is nothing at its path. */
function withEdit(before: Table, edit: TomlEdit): Table | null {
  // The parser's tables have no prototype, and clones have one.
  const values = structuredClone(before);
  if (edit.kind === 'set') return setAt(values, edit.path, edit.value) ? values : null;
  const known = valueAt(values, edit.path) ?? [];
  if (!Array.isArray(known)) return null;
  const { index, to } = edit.kind === 'move' ? edit : { index: known.length, to: edit.index };
  const all: unknown[] = edit.kind === 'move' ? known : [...(known as unknown[]), edit.value];
  if (index >= all.length || to >= all.length) return null;
  return setAt(values, edit.path, all.toSpliced(index, 1).toSpliced(to, 0, all[index])) ? values : null;
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), values);
}

/** Makes the tables above that are missing. Returns false if there is a value that is none. */
function setAt(values: Table, path: readonly string[], value: unknown): boolean {
  const [above, last] = [path.slice(0, -1), path.at(-1) ?? ''];
  let at: Record<string, unknown> = values;
  for (const key of above) {
    if (!Object.hasOwn(at, key)) {
      if (value === null) return true;
      at[key] = {};
    }
    const next = at[key];
    if (!isObject(next)) return false;
    at = next;
  }
  if (Array.isArray(at) && !Object.hasOwn(at, last)) return false;
  if (Array.isArray(at) && value === null) at.splice(Number(last), 1);
  else if (value === null) delete at[last];
  else at[last] = value;
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Returns texts that may be the edit, the best first. */
function createCandidates(text: string, edit: TomlEdit): (string | null)[] {
  const nodes = tomlNodes(text);
  if (edit.kind !== 'set') return listCandidates(text, nodes, edit);
  const { path, value } = edit;
  if (value === null) return [removed(text, nodes, path)];
  const literals = literalsOf(value);
  const set = literals.map((literal) => withKey(text, nodes, path, literal));
  const isTable = isObject(value) && !Array.isArray(value);
  return isTable ? [withTable(text, nodes, path, value), ...set] : set;
}

function isWithin(path: readonly string[], above: readonly string[]): boolean {
  return path.length >= above.length && above.every((part, index) => path[index] === part);
}

function isAt(path: readonly string[], other: readonly string[]): boolean {
  return pathKey(path) === pathKey(other);
}

function withKey(text: string, nodes: readonly TomlNode[], path: readonly string[], literal: string): string | null {
  const known = nodes.find((node) => node.value && isAt(node.path, path));
  if (known?.value) {
    const from = known.value.range[0];
    const to = known.range[1];
    // Comments between brackets would be lost.
    return hasComment(text.slice(from, to)) ? null : replaceAll(text, [{ from, to, by: literal }]);
  }
  const around = nodes.findLast((node) => node.value?.type === 'TOMLInlineTable' && isWithin(path, node.path));
  if (around?.value?.type === 'TOMLInlineTable') {
    const entry = `${dotted(path.slice(around.path.length))} = ${literal}`;
    const last = around.value.body.at(-1);
    const [from, to] = last ? [last.range[1], last.range[1]] : around.value.range;
    return replaceAll(text, [{ from, to, by: last ? `, ${entry}` : `{ ${entry} }` }]);
  }
  return replaceAll(text, [newLine(text, nodes, path, literal)]);
}

/** Puts the key behind the last key of its table, else beside dotted keys of that table, else in a new table at the end. */
function newLine(text: string, nodes: readonly TomlNode[], path: readonly string[], literal: string): Replacement {
  const table = path.slice(0, -1);
  const lines = nodes.filter(({ isInner }) => !isInner);
  const beside =
    lines.findLast((node) => isAt(node.table, table)) ??
    lines.findLast((node) => node.value && node.table.length < table.length && isWithin(node.path, table));
  const entry = `${dotted(path.slice(beside?.table.length ?? table.length))} = ${literal}`;
  if (beside) {
    const [indent] = /^[ \t]*/.exec(beside.value ? text.slice(lineStart(text, beside.range[0])) : '')!;
    return lineBelow(text, beside.range[1], `${indent}${entry}`);
  }
  if (table.length > 0) return atEnd(text, `[${dotted(table)}]\n${entry}`);
  // A key below the header of a table would be one of that table.
  const from = lines[0]?.range[0] ?? text.length;
  return from === text.length ? lineBelow(text, from, entry) : { from, to: from, by: `${entry}\n` };
}

function lineBelow(text: string, offset: number, line: string): Replacement {
  const at = afterLine(text, offset);
  const gap = at === 0 || text[at - 1] === '\n' ? '' : '\n';
  return { from: at, to: at, by: `${gap}${line}${gap === '' ? '\n' : ''}` };
}

/** Puts a block at the end, below a blank line. */
function atEnd(text: string, block: string): Replacement {
  const isEnded = text === '' || text.endsWith('\n');
  const isBlank = text.trim() === '' || /\n[ \t]*\r?\n$/.test(text);
  const by = `${isEnded ? '' : '\n'}${isBlank ? '' : '\n'}${block}\n`;
  return { from: text.length, to: text.length, by };
}

function withTable(text: string, nodes: readonly TomlNode[], path: readonly string[], table: object): string {
  const left = nodes.some((node) => !node.isInner && isWithin(node.path, path)) ? removed(text, nodes, path) : text;
  return replaceAll(left, [atEnd(left, formatBlock(`[${dotted(path)}]`, table))]);
}

function formatBlock(header: string, table: object): string {
  return [header, ...Object.entries(table).map(([key, value]) => `${keyOf(key)} = ${literalOf(value)}`)].join('\n');
}

/** Removes a key, a table with its keys, or a part of a value. */
function removed(text: string, nodes: readonly TomlNode[], path: readonly string[]): string {
  const lines = nodes.filter((node) => !node.isInner && isWithin(node.path, path));
  if (lines.length > 0)
    return replaceAll(
      text,
      removal(
        text,
        lines.map(({ range }) => range),
      ),
    );
  const inner = nodes.find((node) => isAt(node.path, path));
  if (!inner) return text;
  const [from, to] = inner.range;
  const [comma] = /^[ \t]*,[ \t]*/.exec(text.slice(to)) ?? [''];
  const [before] = comma === '' ? (/,\s*$/.exec(text.slice(0, from)) ?? ['']) : [''];
  return replaceAll(text, [{ from: from - before.length, to: to + comma.length, by: '' }]);
}

/** Keeps the comments between the removed lines. Removes one of two blank lines that become neighbours. */
function removal(text: string, ranges: readonly TomlNode['range'][]): Replacement[] {
  const cuts = ranges.map(([from, to]) => ({ from: lineStart(text, from), to: afterLine(text, to), by: '' }));
  const [first, last] = [cuts[0]!, cuts.at(-1)!];
  const isWhole = cuts.every(({ to }, index) => index === cuts.length - 1 || to === cuts[index + 1]!.from);
  const isBlank = (from: number, to: number): boolean => text.slice(from, to).trim() === '';
  const above = lineStart(text, first.from - 1);
  const next = afterLine(text, last.to);
  const blankAbove = first.from === 0 || isBlank(above, first.from);
  if (!isWhole || !blankAbove || !isBlank(last.to, next)) return cuts;
  if (next > last.to) return cuts.with(-1, { ...last, to: next });
  return first.from === 0 ? cuts : cuts.with(0, { ...first, from: above });
}

function listCandidates(text: string, nodes: readonly TomlNode[], edit: Exclude<TomlEdit, { kind: 'set' }>) {
  const { path } = edit;
  const blocks = nodes.filter((node) => node.value === null && isAt(node.path.slice(0, -1), path));
  if (blocks.length > 0) return [replaceAll(text, blockChanges(text, nodes, blocks, edit))];
  const list = nodes.find((node) => isAt(node.path, path))?.value;
  if (list?.type === 'TOMLArray') {
    const elements = list.elements.map(({ range }) => range);
    return [replaceAll(text, elementChanges(text, { elements, start: list.range[0] + 1 }, edit))];
  }
  if (edit.kind === 'move') return [];
  const block = atEnd(text, formatBlock(`[[${dotted(path)}]]`, edit.value));
  return [replaceAll(text, [block]), withKey(text, nodes, path, literalOf([edit.value]))];
}

/** A list whose elements have headers. */
function blockChanges(
  text: string,
  nodes: readonly TomlNode[],
  blocks: readonly TomlNode[],
  edit: Exclude<TomlEdit, { kind: 'set' }>,
): Replacement[] {
  const linesOf = ({ path }: TomlNode) => nodes.filter((node) => !node.isInner && isWithin(node.path, path));
  const endOf = (block: TomlNode): number => lineEnd(text, linesOf(block).at(-1)!.range[1]);
  const above = (block: TomlNode, entry: string): Replacement => {
    const from = commentsAbove(text, block.range[0]);
    return { from, to: from, by: `${entry}\n\n` };
  };
  const below = (block: TomlNode, entry: string): Replacement => {
    const from = endOf(block);
    return { from, to: from, by: `\n\n${entry}` };
  };
  if (edit.kind === 'insert') {
    const entry = formatBlock(`[[${dotted(edit.path)}]]`, edit.value);
    const block = blocks[edit.index];
    return [block ? above(block, entry) : below(blocks.at(-1)!, entry)];
  }
  if (edit.to === edit.index) return [];
  const block = blocks[edit.index]!;
  const whole = [commentsAbove(text, block.range[0]), endOf(block)] as const;
  const insert = edit.to > edit.index ? below : above;
  return [insert(blocks[edit.to]!, text.slice(...whole)), ...removal(text, [whole])];
}

/** Returns the offset before the end of the line. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

/** The beginning of the comments right above a table, or of the table. */
function commentsAbove(text: string, at: number): number {
  let from = lineStart(text, at);
  while (from > 0) {
    const before = lineStart(text, from - 1);
    if (!text.slice(before, from).trimStart().startsWith('#')) break;
    from = before;
  }
  return from;
}

/** A list that is one value. */
function elementChanges(
  text: string,
  { elements, start }: { elements: readonly (readonly [number, number])[]; start: number },
  edit: Exclude<TomlEdit, { kind: 'set' }>,
): Replacement[] {
  if (edit.kind === 'insert') {
    const literal = literalOf(edit.value);
    const next = elements[edit.index];
    if (next) return [{ from: next[0], to: next[0], by: `${literal}, ` }];
    const at = elements.at(-1)?.[1] ?? start;
    return [{ from: at, to: at, by: at === start ? literal : `, ${literal}` }];
  }
  const texts = elements.map((range) => text.slice(...range));
  const moved = texts.toSpliced(edit.index, 1).toSpliced(edit.to, 0, texts[edit.index]!);
  return elements.map(([from, to], index) => ({ from, to, by: moved[index]! }));
}

/** A line, or several, for a key at the beginning of a text. */
export function tomlLine(key: string, value: unknown): string {
  return `${keyOf(key)} = ${literalsOf(value)[0]}\n`;
}

/** The literals of a value, the one that is easiest to read first. */
function literalsOf(value: unknown): string[] {
  const isLong = typeof value === 'string' && value.includes('\n');
  return isLong ? [manyLines(value), literalOf(value)] : [literalOf(value)];
}

/** A TOML literal on one line. */
function literalOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalOf).join(', ')}]`;
  // The one character that JSON may have as it is, and TOML not.
  if (!isObject(value)) return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
  const entries = Object.entries(value).map(([key, one]) => `${keyOf(key)} = ${literalOf(one)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/** Returns a literal of several lines, without escapes if possible. */
function manyLines(text: string): string {
  // Of control characters TOML allows none without an escape but these two.
  const needsEscapes = text.includes("'''") || text.endsWith("'") || /(?![\t\n])\p{Cc}/u.test(text);
  if (!needsEscapes) return `'''\n${text}'''`;
  const lines = text.split('\n').map((line) => literalOf(line).slice(1, -1));
  return `"""\n${lines.join('\n')}"""`;
}

/** Returns the edited text with the line ends of the text before. */
function withEndsOf(before: string, text: string): string {
  const isDos = before.includes('\r\n') && !/(?<!\r)\n/.test(before);
  return isDos ? text.replaceAll(/\r?\n/g, '\r\n') : text;
}

/** A list without elements may be absent from the text. */
function isSame(text: string, wanted: Table, { path }: TomlEdit): boolean {
  try {
    const values = structuredClone(parse(text));
    const list = path.slice(0, -1);
    for (const table of [values, wanted]) if (isDeepStrictEqual(valueAt(table, list), [])) setAt(table, list, null);
    return isDeepStrictEqual(withoutEmpty(values), withoutEmpty(wanted));
  } catch {
    return false;
  }
}

/** Removes empty tables: a table may disappear with its last key. */
function withoutEmpty(table: Table): Table {
  const isTable = (one: unknown): one is Table => Object.prototype.toString.call(one) === '[object Object]';
  const entries = Object.entries(table).map(([key, one]) => [key, isTable(one) ? withoutEmpty(one) : one] as const);
  return Object.fromEntries(entries.filter(([, one]) => !isTable(one) || Object.keys(one).length > 0));
}
