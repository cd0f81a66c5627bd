/** The keys of a settings schema as rows for a form: what each may be, what it is now and by default. */
import { z } from 'zod';
import type { SettingRow } from '#contract/view.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** One row for each key, in the order of the schema; `values` must fit it. */
export function rowsOf(schema: z.ZodType, values: object): SettingRow[] {
  return leavesOf(z.toJSONSchema(schema), values, '');
}

/** The list that a dotted path leads into, or the group that it names; null where it names one value, or nothing. */
export function manyAt(schema: z.ZodType, path: string): { kind: 'list' | 'group'; path: string } | null {
  let at: JsonSchema = z.toJSONSchema(schema);
  let named = '';
  for (const key of path.split('.')) {
    const next = at.properties?.[key];
    if (typeof next !== 'object') return null;
    named += named === '' ? key : `.${key}`;
    if (isMany(next)) return { kind: 'list', path: named };
    at = next;
  }
  return at.properties ? { kind: 'group', path } : null;
}

/** The dotted paths of all lists. */
export function listPaths(schema: z.ZodType): string[] {
  const within = ({ properties = {} }: JsonSchema, prefix: string): string[] =>
    Object.entries(properties).flatMap(([key, leaf]) => {
      if (typeof leaf === 'boolean') return [];
      return isMany(leaf) ? [prefix + key] : within(leaf, `${prefix}${key}.`);
    });
  return within(z.toJSONSchema(schema), '');
}

function leavesOf(schema: JsonSchema, values: object, prefix: string): SettingRow[] {
  return Object.entries(keysIn(schema, values)).flatMap(([key, leaf]) => {
    if (typeof leaf === 'boolean') return [];
    const path = prefix + key;
    const value: unknown = Reflect.get(values, key);
    if (leaf.properties) return leavesOf(leaf, Object(value) as object, `${path}.`);
    // A list is written in the file, and has no place in a form of single values.
    return isMany(leaf) || leaf.const !== undefined ? [] : [rowOf(path, leaf, value)];
  });
}

/** The keys of a table; of one that may have others too, those that it has. */
function keysIn({ properties = {}, additionalProperties: other }: JsonSchema, values: object) {
  if (typeof other !== 'object') return properties;
  const named = Object.keys(values).filter((key) => !Object.hasOwn(properties, key));
  return { ...properties, ...Object.fromEntries(named.map((key) => [key, other])) };
}

/** A list, a table whose keys the person names, or one that may be left out. */
function isMany({ type, properties, anyOf = [] }: JsonSchema): boolean {
  const isTable = anyOf.some((one) => typeof one === 'object' && one.type === 'object');
  return isTable || type === 'array' || (type === 'object' && properties === undefined);
}

function rowOf(path: string, leaf: JsonSchema, value: unknown): SettingRow {
  // A key that may be unset is a choice between null and what it may be.
  const set = leaf.anyOf?.find((one) => typeof one !== 'boolean' && one.type !== 'null');
  const { type, enum: choices, ...bounds } = typeof set === 'object' ? set : leaf;
  return {
    path,
    kind: choices ? 'choice' : type === 'integer' || type === 'number' || type === 'boolean' ? type : 'text',
    description: leaf.description ?? '',
    value: plain(value),
    default: plain(leaf.default),
    min: finite(bounds.minimum),
    max: finite(bounds.maximum),
    choices: choices?.map(String) ?? null,
  };
}

function plain(value: unknown): SettingRow['value'] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Null for the bounds of the number format itself: they are no limits of the setting. */
function finite(bound: unknown): number | null {
  return typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : null;
}
