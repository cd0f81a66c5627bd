/** The keys of a settings schema as rows for a form: what each may be, what it is now and by default. */
import { z } from 'zod';
import type { SettingRow } from '#contract/view.ts';
import { dotted } from './dotted-path.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** To be given to a table whose keys have no rows: it is changed in another way. */
export const WITHOUT_ROWS = { rows: false } as const;

/** Of each schema once: it takes as long as reading a hundred files of settings, and each misspelt key asks for it. */
const shapes = new WeakMap<z.ZodType, JsonSchema>();

function shapeOf(schema: z.ZodType): JsonSchema {
  const shape = shapes.get(schema) ?? z.toJSONSchema(schema);
  shapes.set(schema, shape);
  return shape;
}

/** One row for each key, in the order of the schema; tables that the person names come last. `values` must fit it. */
export function rowsOf(schema: z.ZodType, values: object): SettingRow[] {
  return leavesOf(shapeOf(schema), values, []);
}

/** The row of one key, also in a table that nobody has named yet; null where the path leads to no single value. */
export function rowAt(schema: z.ZodType, values: object, parts: readonly string[]): SettingRow | null {
  let [at, value]: [JsonSchema | null, unknown] = [shapeOf(schema), values];
  for (const key of parts) {
    at = at && !isMany(at) ? childOf(at, key) : null;
    value = Object(value) === value ? Reflect.get(value as object, key) : undefined;
  }
  return at === null || isMany(at) || tableOf(at) ? null : rowOf(parts, at, value);
}

/** The list that a path leads into, or the group that it names; null where it names one value, or nothing. */
export function manyAt(schema: z.ZodType, parts: readonly string[]): { kind: 'list' | 'group'; path: string } | null {
  let at: JsonSchema = shapeOf(schema);
  for (const [index, key] of parts.entries()) {
    const next = childOf(at, key);
    if (next === null) return null;
    if (isMany(next)) return { kind: 'list', path: dotted(parts.slice(0, index + 1)) };
    at = next;
  }
  return tableOf(at) ? { kind: 'group', path: dotted(parts) } : null;
}

/** The dotted paths of all lists. */
export function listPaths(schema: z.ZodType): string[] {
  const within = (table: JsonSchema, above: readonly string[]): string[] =>
    Object.entries(tableOf(table)?.properties ?? {}).flatMap(([key, leaf]) => {
      if (typeof leaf === 'boolean') return [];
      return isMany(leaf) ? [dotted([...above, key])] : within(leaf, [...above, key]);
    });
  return within(shapeOf(schema), []);
}

function leavesOf(table: JsonSchema, values: object, above: readonly string[]): SettingRow[] {
  const own = Object.keys(table.properties ?? {});
  const named = namedIn(table) ? Object.keys(values).filter((key) => !own.includes(key)) : [];
  return [...own, ...named].flatMap((key) => {
    const leaf = childOf(table, key);
    // A list is written in the file, and has no place in a form of single values; nor has what cannot be another.
    if (leaf === null || isMany(leaf) || leaf.const !== undefined) return [];
    const parts = [...above, key];
    const value: unknown = Reflect.get(values, key);
    const inner = tableOf(leaf);
    if (!inner) return [rowOf(parts, leaf, value)];
    // A table that may be left out has rows where it is there.
    if (leaf !== inner && Object(value) !== value) return [];
    return leavesOf(inner, Object(value) as object, parts);
  });
}

/** What stands at a key of a table; null where it has none. */
function childOf(schema: JsonSchema, key: string): JsonSchema | null {
  const table = tableOf(schema);
  const own = Object.hasOwn(table?.properties ?? {}, key) ? table?.properties?.[key] : undefined;
  const found = own ?? (table && namedIn(table));
  return typeof found === 'object' ? found : null;
}

/** The table that a value is, or may be. */
function tableOf(schema: JsonSchema): JsonSchema | null {
  const isTable = (one: JsonSchema) => one.properties !== undefined || namedIn(one) !== null;
  if (isTable(schema)) return schema;
  return schema.anyOf?.find((one): one is JsonSchema => typeof one === 'object' && isTable(one)) ?? null;
}

/** What the tables are that the person names in this one; null where there are none. */
function namedIn({ additionalProperties: named }: JsonSchema): JsonSchema | null {
  return typeof named === 'object' && named.properties !== undefined ? named : null;
}

/** A list, or a table of single values whose keys the person names. */
function isMany(schema: JsonSchema): boolean {
  if (schema['rows'] === false || schema.type === 'array') return true;
  return schema.type === 'object' && tableOf(schema) === null;
}

/** `value`: of the key; undefined where nothing is said. */
export function rowOf(parts: readonly string[], leaf: JsonSchema, value: unknown): SettingRow {
  // A key that may be unset is a choice between null and what it may be.
  const set = leaf.anyOf?.find((one) => typeof one !== 'boolean' && one.type !== 'null');
  const { type: types, enum: choices, examples, ...bounds } = typeof set === 'object' ? set : leaf;
  const type = Array.isArray(types) ? types.find((one) => one !== 'null') : types;
  const [example] = examples ?? [];
  return {
    path: dotted(parts),
    kind: choices ? 'choice' : type === 'integer' || type === 'number' || type === 'boolean' ? type : 'text',
    description: leaf.description ?? '',
    value: plain(value),
    default: plain(leaf.default),
    min: finite(bounds.minimum),
    max: finite(bounds.maximum),
    choices: choices?.map(String) ?? null,
    ...(typeof example === 'string' && { example }),
  };
}

function plain(value: unknown): SettingRow['value'] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Null for the bounds of the number format itself: they are no limits of the setting. */
function finite(bound: unknown): number | null {
  return typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : null;
}
