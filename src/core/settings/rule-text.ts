/** Changes one rule in the text of a TOML file: every byte that is not of this rule stays, comments and order too. */
import { isDeepStrictEqual } from 'node:util';
import { parse, type TomlTable as Table } from 'smol-toml';
import type { RuleEdit } from '#contract/permissions/rule-edit.ts';
import { afterLine, lineStart, replaceAll, type Replacement } from '../base/replace.ts';
import { keyParts, type TomlPair, type TomlTable, tomlTree } from '../base/toml-tree.ts';
import type { RuleEntry } from './rule-entry.ts';
import { editKey, literalOf } from './settings-text.ts';

/** In the order in which they are written. */
const KEYS = ['effect', 'agent', 'tool', 'permission', 'pattern'] as const;
const PATH = ['permissions', 'rules'] as const;
const HEADER = `[[${PATH.join('.')}]]`;

type List = Extract<TomlPair['value'], { type: 'TOMLArray' }>;

/** The edit with a rule that fits. */
export type CheckedEdit =
  | { kind: 'add'; rule: RuleEntry; at?: number | undefined }
  | { kind: 'change'; index: number; rule: RuleEntry; to?: number | undefined }
  | Extract<RuleEdit, { kind: 'move' | 'remove' }>;

/**
 * The text with the rule changed, which says exactly that and nothing else; null where the text is such that only a rewrite
 * could do it, or where there is no such rule. The text must be valid TOML.
 */
export function editRules(text: string, edit: CheckedEdit): string | null {
  if (edit.kind === 'change' && edit.to !== undefined) {
    const { to, ...change } = edit;
    const changed = editRules(text, change);
    return changed === null ? null : editRules(changed, { kind: 'move', index: edit.index, to });
  }
  const before = parse(text);
  const wanted = withEdit(rulesOf(before), edit);
  if (wanted === null) return null;
  const says = (one: string | null): boolean => one !== null && isSame(before, one, wanted);
  return candidates(text, edit).find(says) ?? null;
}

/** The rules after the edit; null where there is none at its place. */
export function withEdit<T>(rules: readonly T[], edit: CheckedEdit): (T | RuleEntry)[] | null {
  if (edit.kind === 'add') {
    const at = edit.at ?? rules.length;
    return at <= rules.length ? [...rules.slice(0, at), edit.rule, ...rules.slice(at)] : null;
  }
  if (edit.index >= rules.length) return null;
  if (edit.kind === 'remove') return rules.toSpliced(edit.index, 1);
  const { index, to = index } = edit;
  const one = edit.kind === 'change' ? edit.rule : rules[index]!;
  return to < rules.length ? rules.toSpliced(index, 1).toSpliced(to, 0, one as T) : null;
}

function candidates(text: string, edit: CheckedEdit): (string | null)[] {
  const nodes = tomlTree(text)?.body[0].body ?? [];
  const blocks = nodes.filter((node) => node.type === 'TOMLTable').filter(isRule);
  if (blocks.length > 0) return [replaceAll(text, blockChanges(text, blocks, edit))];
  const list = nodes.flatMap((node) => listsIn(node)).at(0);
  if (list) return [replaceAll(text, listChanges(text, list, edit))];
  if (edit.kind !== 'add') return [];
  return [replaceAll(text, atEnd(text, edit.rule)), editKey(text, PATH, literalOf([ordered(edit.rule)]))];
}

function isRule({ resolvedKey: [first, second, index, ...more] }: TomlTable): boolean {
  return first === PATH[0] && second === PATH[1] && typeof index === 'number' && more.length === 0;
}

/** Rules that are written as one list of inline tables. */
function listsIn(node: TomlTable | TomlPair, above: readonly (string | number)[] = []): List[] {
  if (node.type === 'TOMLTable') return node.body.flatMap((pair) => listsIn(pair, node.resolvedKey));
  const path = [...above, ...keyParts(node)];
  const { value } = node;
  if (value.type === 'TOMLArray') return path.join('\0') === PATH.join('\0') ? [value] : [];
  return value.type === 'TOMLInlineTable' ? value.body.flatMap((pair) => listsIn(pair, path)) : [];
}

const endOfLineOf = (text: string): string => (/\r\n/.test(text) ? '\r\n' : '\n');

/** Before the end of the line. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function blockChanges(text: string, blocks: readonly TomlTable[], edit: CheckedEdit): Replacement[] {
  const newline = endOfLineOf(text);
  if (edit.kind === 'add') {
    const after = edit.at === undefined || edit.at >= blocks.length;
    return [insertion(text, { block: after ? blocks.at(-1)! : blocks[edit.at!]!, after }, entryOf(edit.rule, newline))];
  }
  const block = blocks[edit.index]!;
  if (edit.kind === 'remove') return removal(text, linesOf(text, block));
  if (edit.kind === 'change') return pairChanges(text, block, edit.rule);
  if (edit.to === edit.index) return [];
  const whole = { from: commentsAbove(text, block), to: afterLine(text, lastOf(block)) };
  const put = { block: blocks[edit.to]!, after: edit.to > edit.index };
  return [insertion(text, put, text.slice(whole.from, lineEnd(text, lastOf(block)))), ...removal(text, [whole])];
}

function entryOf(rule: RuleEntry, newline: string): string {
  return [HEADER, ...Object.entries(ordered(rule)).map(([key, value]) => `${key} = ${literalOf(value)}`)].join(newline);
}

function ordered(rule: RuleEntry): Record<string, string> {
  return Object.fromEntries(KEYS.flatMap((key) => (rule[key] === undefined ? [] : [[key, rule[key]]])));
}

/** The end of the last thing that is of the rule. */
const lastOf = ({ key, body }: TomlTable): number => body.at(-1)?.range[1] ?? key.range[1];

/** The beginning of the comments that stand right above a rule, or of the rule. */
function commentsAbove(text: string, { range: [at] }: TomlTable): number {
  let from = lineStart(text, at);
  while (from > 0) {
    const before = lineStart(text, from - 1);
    if (!text.slice(before, from).trimStart().startsWith('#')) break;
    from = before;
  }
  return from;
}

/** A blank line away from the rule beside it. */
function insertion(text: string, { block, after }: { block: TomlTable; after: boolean }, entry: string): Replacement {
  const newline = endOfLineOf(text);
  if (!after) {
    const from = commentsAbove(text, block);
    return { from, to: from, by: `${entry}${newline}${newline}` };
  }
  const from = lineEnd(text, lastOf(block));
  return { from, to: from, by: `${newline}${newline}${entry}` };
}

type Lines = Pick<Replacement, 'from' | 'to'>;

/** The lines that are of the rule; comments between them are not. */
function linesOf(text: string, { key, body }: TomlTable): Lines[] {
  return [key.range, ...body.map(({ range }) => range)].map(([from, to]) => ({
    from: lineStart(text, from),
    to: afterLine(text, to),
  }));
}

/** With one of two blank lines that would come to stand together. */
function removal(text: string, lines: readonly Lines[]): Replacement[] {
  const [first, last] = [lines[0]!, lines.at(-1)!];
  const isWhole = lines.every(({ to }, index) => index === lines.length - 1 || to === lines[index + 1]!.from);
  const isBlank = (from: number, to: number): boolean => text.slice(from, to).trim() === '';
  const above = lineStart(text, first.from - 1);
  const next = afterLine(text, last.to);
  const blankAbove = first.from === 0 || isBlank(above, first.from);
  const cuts = lines.map((one) => ({ ...one, by: '' }));
  if (!isWhole || !blankAbove || !isBlank(last.to, next)) return cuts;
  if (next > last.to) return cuts.with(-1, { ...cuts.at(-1)!, to: next });
  return first.from === 0 ? cuts : cuts.with(0, { ...cuts[0]!, from: above });
}

/** Only the values that differ. */
function pairChanges(text: string, { key, body }: TomlTable, rule: RuleEntry): Replacement[] {
  const newline = endOfLineOf(text);
  const known = new Map(KEYS.map((name) => [name, body.find((pair) => keyParts(pair).join('.') === name)]));
  const kept = body.filter((pair) => KEYS.some((name) => known.get(name) === pair && rule[name] !== undefined));
  const last = kept.at(-1);
  const at = lineEnd(text, last?.range[1] ?? key.range[1]);
  const indent = last ? text.slice(lineStart(text, last.range[0]), last.range[0]) : '';
  return KEYS.flatMap((name): Replacement[] => {
    const [pair, value] = [known.get(name), rule[name]];
    if (!pair)
      return value === undefined ? [] : [{ from: at, to: at, by: `${newline}${indent}${name} = ${literalOf(value)}` }];
    if (value === undefined) {
      const [from, to] = pair.range;
      return [{ from: lineStart(text, from), to: afterLine(text, to), by: '' }];
    }
    const [from, to] = pair.value.range;
    return valueOf(text.slice(from, to)) === value ? [] : [{ from, to, by: literalOf(value) }];
  });
}

function valueOf(literal: string): unknown {
  try {
    return parse(`a = ${literal}`).a;
  } catch {
    return null;
  }
}

function listChanges(text: string, { elements, range }: List, edit: CheckedEdit): Replacement[] {
  const literal = (rule: RuleEntry): string => literalOf(ordered(rule));
  const put = (at: number, by: string): Replacement[] => [{ from: at, to: at, by }];
  const textAt = (index: number): string => text.slice(...elements[index]!.range);
  if (edit.kind === 'add') {
    const at = edit.at ?? elements.length;
    if (elements.length === 0) return put(range[0] + 1, literal(edit.rule));
    if (at < elements.length) return put(elements[at]!.range[0], `${literal(edit.rule)}, `);
    return put(elements.at(-1)!.range[1], `, ${literal(edit.rule)}`);
  }
  const [from, to] = elements[edit.index]!.range;
  if (edit.kind === 'change') return [{ from, to, by: literal(edit.rule) }];
  if (edit.kind === 'move') {
    const order = elements.map((_, index) => index);
    const moved = order.toSpliced(edit.index, 1).toSpliced(edit.to, 0, edit.index);
    return elements.map((one, index) => ({ from: one.range[0], to: one.range[1], by: textAt(moved[index]!) }));
  }
  const [comma] = /^[ \t]*,[ \t]*/.exec(text.slice(to)) ?? [''];
  const [before] = comma === '' ? (/,[ \t]*$/.exec(text.slice(0, from)) ?? ['']) : [''];
  return [{ from: from - before.length, to: to + comma.length, by: '' }];
}

/** A text without rules gets its first one at its end. */
function atEnd(text: string, rule: RuleEntry): Replacement[] {
  const newline = endOfLineOf(text);
  const isEnded = text === '' || text.endsWith('\n');
  const isBlank = text.trim() === '' || /\n[ \t]*\r?\n$/.test(text);
  const gap = `${isEnded ? '' : newline}${isBlank ? '' : newline}`;
  return [{ from: text.length, to: text.length, by: `${gap}${entryOf(rule, newline)}${newline}` }];
}

function rulesOf(table: Table): unknown[] {
  const { rules } = (table[PATH[0]] ?? {}) as Table;
  return Array.isArray(rules) ? rules : [];
}

/** Whether a text says what another one says, but for these rules. Compares clones, because the parser's tables have no prototype. */
function isSame(before: Table, text: string, rules: readonly unknown[]): boolean {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  const rest = ({ [PATH[0]]: permissions = {}, ...others }: Table): unknown => {
    const { [PATH[1]]: _, ...more } = permissions as Table;
    return structuredClone({ ...others, [PATH[0]]: { ...more } });
  };
  try {
    const after = parse(text);
    return isDeepStrictEqual(plain(rulesOf(after)), plain(rules)) && isDeepStrictEqual(rest(before), rest(after));
  } catch {
    return false;
  }
}
