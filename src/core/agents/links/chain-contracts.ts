/** Whether what one agent says that it gives can be what the next one takes, as far as their files tell. */
import type { AgentDefinition, Fault } from '#contract/agent.ts';
import { reasonFault } from '../contracts.ts';
import { fault } from '../entries.ts';
import type { Link } from './link.ts';

/** Why it cannot; null where it may. */
export function contractMismatch(from: AgentDefinition, next: AgentDefinition): string | null {
  if (next.input?.format !== 'json') return null;
  const { schema } = next.input;
  const unfilled = reasonFault(schema, from.name);
  if (unfilled !== null) return unfilled;
  const given = from.output?.schema;
  if (!schema || !given) return null;
  const [gives, takes] = [shapeOf(given), shapeOf(schema)];
  if (areApart(gives.types, takes.types))
    return `it takes ${takes.types?.join(' or ')}, and output_schema gives ${gives.types?.join(' or ')}`;
  for (const name of takes.required) {
    if (name === 'reason') continue;
    if (gives.isClosed && !gives.properties.has(name))
      return `it requires "${name}", which output_schema does not have`;
  }
  for (const name of gives.required)
    if (takes.isClosed && !takes.properties.has(name)) return `it takes no "${name}", which output_schema requires`;
  for (const [name, types] of gives.properties) {
    const other = takes.properties.get(name);
    if (other !== undefined && gives.required.includes(name) && areApart(types, other))
      return `it takes "${name}" as ${other?.join(' or ')}, and output_schema gives ${types?.join(' or ')}`;
  }
  return null;
}

/** What the next agent's file changes of what this one's says. */
export function contractWarnings(own: AgentDefinition, chain: readonly AgentDefinition[], link: Link): Fault[] {
  const [next] = chain;
  if (!next || next.input?.format !== 'json' || !own.output || own.output.format === 'json') return [];
  const message = `next ${next.name}: it takes JSON, so output_format ${own.output.format} does not count`;
  return [fault(link.at, message, { key: link.key })];
}

interface Shape {
  /** Null: any. */
  types: string[] | null;
  properties: ReadonlyMap<string, string[] | null>;
  required: string[];
  /** Whether no other property may be there. */
  isClosed: boolean;
}

function shapeOf(schema: unknown): Shape {
  const { properties, required, additionalProperties, patternProperties } = recordOf(schema);
  const list = Object.entries(recordOf(properties)).map(([name, one]) => [name, typesOf(one)] as const);
  return {
    types: typesOf(schema),
    properties: new Map(list),
    required: Array.isArray(required) ? required.map(String) : [],
    isClosed: additionalProperties === false && patternProperties === undefined,
  };
}

function typesOf(schema: unknown): string[] | null {
  const { type } = recordOf(schema);
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.map(String) : null;
}

function areApart(gives: string[] | null, takes: string[] | null): boolean {
  if (!gives || !takes) return false;
  // A number may be whole.
  const all = takes.includes('integer')
    ? [...takes, 'number']
    : takes.includes('number')
      ? [...takes, 'integer']
      : takes;
  return !gives.some((type) => all.includes(type));
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
