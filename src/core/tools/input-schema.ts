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

function toJsonSchema(input: z.ZodType): JsonSchema {
  const cached = schemas.get(input);
  if (cached) return cached;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', reused: 'inline', unrepresentable: 'any' });
  schemas.set(input, schema);
  return schema;
}

/** Bounds that are checked when a call is parsed, and cost tokens in every request. */
const UNSENT = new Set(['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'pattern']);

/** Sent schemas by tool, then by the number of sub-agents that one workflow may start. */
const sentSchemas = new WeakMap<Tool, Map<number, JsonSchema>>();

/** Returns the schema as a request has it: without bounds, unless it is a foreign schema. Equal calls return the same object. */
export function getSentSchema(tool: Tool, maxSubAgents: number): JsonSchema {
  if (tool.schema) return tool.schema;
  const byNumber = sentSchemas.get(tool) ?? new Map<number, JsonSchema>();
  sentSchemas.set(tool, byNumber);
  const cached = byNumber.get(maxSubAgents);
  if (cached) return cached;
  const schema = withoutBounds(toJsonSchema(tool.inputFor?.(maxSubAgents) ?? tool.input), tool);
  byNumber.set(maxSubAgents, schema);
  return schema;
}

/** Unknown arguments are refused only by tools that start agents, so only their schemas say so. */
function withoutBounds(schema: JsonSchema, tool: Pick<Tool, 'startsAgents'>): JsonSchema {
  const isSent = (key: string): boolean =>
    !UNSENT.has(key) && (key !== 'additionalProperties' || tool.startsAgents !== undefined);
  const strip = (value: unknown, isProperties: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item: unknown) => strip(item, false));
    const record = asRecord(value);
    if (!record) return value;
    const entries = Object.entries(record).filter(([key]) => isProperties || isSent(key));
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, strip(inner, !isProperties && key === 'properties')]),
    );
  };
  return asRecord(strip(schema, false)) ?? {};
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
