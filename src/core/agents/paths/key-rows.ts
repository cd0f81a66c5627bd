/** The keys of an agent's file that hold one value, as rows by dotted path: `agents.NAME.model`. */
import { z } from 'zod';
import type { SettingRow } from '#contract/view.ts';
import { dotted } from '../../settings/dotted-path.ts';
import { rowOf } from '../../settings/setting-rows.ts';
import { CompositionKeys } from '../compositions/composition.ts';
import { entriesOf, type FileKind } from '../edit.ts';
import type { Body, Entry } from '../entries.ts';
import { TomlKeys } from '../keys.ts';
import { KEY_WORDS, type PathRoot } from './key-words.ts';

export interface KeyRow extends SettingRow {
  /** As the file has it; in a composition with its section. */
  key: string;
  /** Null where the file does not say it. */
  line: number | null;
}

/** The schema's keys: a composition's have their section before them. */
const SCHEMAS = { agents: z.toJSONSchema(TomlKeys), compositions: z.toJSONSchema(CompositionKeys) } as const;

/** The keys that hold one value, and those that are lists. */
export function keysOf(root: PathRoot): { single: string[]; lists: string[] } {
  const all = Object.entries(SCHEMAS[root].properties ?? {});
  const isList = ([, leaf]: (typeof all)[number]) => typeof leaf === 'object' && leaf.type === 'array';
  const names = (some: typeof all) => some.map(([key]) => key);
  return { single: names(all.filter((one) => !isList(one))), lists: names(all.filter(isList)) };
}

/** `text`: of the file, whose keys can be read. */
export function keyRows(root: PathRoot, name: string, text: string, kind: FileKind): KeyRow[] {
  const read = entriesOf(text, kind);
  const { entries, body } = read.ok ? read : { entries: [], body: null };
  return keysOf(root).single.map((key) => {
    const said = saidOf(key, entries, body);
    return { ...rowAt(root, name, key, said?.value ?? undefined), key, line: said?.line ?? null };
  });
}

/** `value`: as the file says it; undefined where it does not. */
function rowAt(root: PathRoot, name: string, key: string, value: unknown): SettingRow {
  const leaf = SCHEMAS[root].properties?.[key];
  const row = rowOf([root, name, ...key.split('.')], typeof leaf === 'object' ? leaf : {}, inWords(value));
  return { ...row, description: KEY_WORDS[root][key] ?? '', value: row.value ?? row.default };
}

/** What may be one text or more is shown as one. */
function inWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(String).join(', ');
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return typeof value === 'string' ? value.trim() : value;
}

function saidOf(key: string, entries: readonly Entry[], body: Body | null): { value: unknown; line: number } | null {
  if (key === 'prompt' && body) return { value: body.text, line: body.line };
  const found = entries.find((entry) => entry.key === key);
  return found ? { value: found.value, line: found.at.line } : null;
}

export const pathOf = (root: PathRoot, name: string): string => dotted([root, name]);
