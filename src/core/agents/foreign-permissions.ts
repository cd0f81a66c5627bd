/** The restrictions in other programs' files, in our terms: no writing, or writing only after approval. They never widen anything. */
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import type { Entry, Position } from './entries.ts';
import { counterpart, splitNames } from './foreign-tools.ts';
import type { Dialect } from './places.ts';

export interface Restriction {
  noWrites?: boolean;
  asks?: boolean;
  /** What reaches the web is forbidden. */
  noWeb?: boolean;
  warning?: { key: string; at: Position; says: Phrase };
}

interface Given {
  /** opencode's form alone: `{write: false}`. */
  tools: unknown;
  at: Position;
  disallowed: Entry | undefined;
  mode: Entry | undefined;
  permission: Entry | undefined;
}

export function restrictionsOf(dialect: Exclude<Dialect, 'triad'>, given: Given): Restriction[] {
  const { tools, at, disallowed, mode, permission } = given;
  const off = isTable(tools) ? switchedOff(tools) : [];
  return [
    ...withoutTools(off, dialect, 'tools', at),
    ...(disallowed ? withoutTools(namesOf(disallowed.value), dialect, 'disallowedTools', disallowed.valueAt) : []),
    ...(mode ? [byMode(mode)] : []),
    ...(permission ? byPermission(permission) : []),
  ];
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function namesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string' ? splitNames(value) : [];
}

/** The names of the tools that are off. `*: false` turns off writing, unless `write` or `edit` is on again. */
function switchedOff(tools: Readonly<Record<string, unknown>>): string[] {
  const off = Object.keys(tools).filter((name) => tools[name] === false && name !== '*');
  const isOn = (name: string) => tools[name] === true;
  return tools['*'] === false && !isOn('write') && !isOn('edit') ? [...off, 'write'] : off;
}

const REACHING = new Set(['web_fetch', 'web_search']);
const WRITING = new Set(['write_file', 'edit_file', 'move_file', 'delete_file']);

function withoutTools(
  names: readonly string[],
  dialect: Exclude<Dialect, 'triad'>,
  key: string,
  at: Position,
): Restriction[] {
  // A tool that is forbidden for a pattern is forbidden as a whole here.
  const among = (tools: ReadonlySet<string>) =>
    names.filter((name) => counterpart(name.replace(/\(.*$/, ''), dialect)?.some((tool) => tools.has(tool)));
  const [writing, reaching] = [among(WRITING), among(REACHING)];
  // Tools without a counterpart are off anyway.
  const staying = names.filter(
    (name) => ![...writing, ...reaching].includes(name) && counterpart(name, dialect) !== null,
  );
  const says = phrase('tools_stay', { key, names: staying.join(', ') });
  return [
    ...(writing.length > 0 ? [{ noWrites: true }] : []),
    ...(reaching.length > 0 ? [{ noWeb: true }] : []),
    ...(staying.length > 0 ? [{ warning: { key, at, says } }] : []),
  ];
}

function byMode({ value, valueAt: at }: Entry): Restriction {
  if (value === 'plan') return { noWrites: true };
  return { warning: { key: 'permissionMode', at, says: phrase('mode_asks', { mode: String(value) }) } };
}

/** One word for all, or one for each kind of action, or patterns with words: the strictest counts. */
function byPermission({ value, valueAt: at }: Entry): Restriction[] {
  const edit = isTable(value) ? (value['edit'] ?? value['*']) : value;
  const words = isTable(edit) ? Object.values(edit) : [edit];
  const key = 'permission';
  const others = isTable(value) ? Object.keys(value).filter((name) => name !== 'edit' && name !== '*') : [];
  const says = phrase('other_permissions', { names: others.join(', ') });
  const told = others.length > 0 ? [{ warning: { key, at, says } }] : [];
  if (words.includes('deny')) return [{ noWrites: true }, ...told];
  if (words.includes('ask')) return [{ asks: true }, ...told];
  if (!words.includes('allow')) return told;
  return [{ warning: { key, at, says: phrase('allow_asks') } }, ...told];
}
