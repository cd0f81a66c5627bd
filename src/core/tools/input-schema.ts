/** The JSON schema of a tool's arguments: for requests, for normalization, and as a one-line signature. */
import { z } from 'zod';
import type { Tool } from './tool.ts';

export type JsonSchema = Record<string, unknown>;

/** Schemas by zod type: each is built once, however many registries have the tool. */
const schemas = new WeakMap<z.ZodType, JsonSchema>();

/** Returns the JSON schema of the arguments that a tool accepts. */
export function getInputSchema({ schema, input }: Pick<Tool, 'schema' | 'input'>): JsonSchema {
  return schema ?? toJsonSchema(input);
}

export function toJsonSchema(input: z.ZodType): JsonSchema {
  const cached = schemas.get(input);
  if (cached) return cached;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', reused: 'inline', unrepresentable: 'any' });
  schemas.set(input, schema);
  return schema;
}

/** Returns a value as an object with named fields; null for anything else. */
export function asRecord(value: unknown): JsonSchema | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null;
}

/** Returns the properties of an object schema; empty for any other schema. */
export function getProperties(schema: JsonSchema): Record<string, JsonSchema> {
  const properties = asRecord(schema['properties']) ?? {};
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, asRecord(value) ?? {}]));
}

export function isRequired(schema: JsonSchema, name: string): boolean {
  const { required } = schema;
  return Array.isArray(required) && required.includes(name);
}

/** Formats a tool and its arguments on one line, such as `read_file(path: string, offset?: integer)`. */
export function formatSignature(tool: Pick<Tool, 'name' | 'schema' | 'input'>): string {
  return `${tool.name}(${formatFields(getInputSchema(tool))})`;
}

function formatFields(schema: JsonSchema): string {
  return Object.entries(getProperties(schema))
    .map(([name, value]) => `${name}${isRequired(schema, name) ? '' : '?'}: ${formatType(value)}`)
    .join(', ');
}

function formatType(schema: JsonSchema): string {
  const { type, enum: values, items } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') {
    const item = formatType(asRecord(items) ?? {});
    return item.includes(' | ') && !item.endsWith('}') ? `(${item})[]` : `${item}[]`;
  }
  if (type === 'object') return `{ ${formatFields(schema)} }`;
  return typeof type === 'string' ? type : 'any';
}
