/** Whether what one agent says that it gives can be what the next one takes, as far as their files tell. */
import type { AgentDefinition, Fault } from '#contract/agent.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { reasonFault } from '../contracts.ts';
import { fault } from '../entries.ts';
import type { Link } from './link.ts';

/** Why it cannot; null where it may. */
export function contractMismatch(from: AgentDefinition, next: AgentDefinition): Phrase | null {
  if (next.input?.format !== 'json') return null;
  const { schema } = next.input;
  const unfilled = reasonFault(schema, from.name);
  if (unfilled !== null) return unfilled;
  const given = from.output?.schema;
  if (!schema || !given) return null;
  const [gives, takes] = [shapeOf(given), shapeOf(schema)];
  if (areApart(gives.types, takes.types))
    return phrase('types_apart', { takes: listed(takes.types), gives: listed(gives.types) });
  for (const name of takes.required) {
    if (name === 'reason') continue;
    if (gives.isClosed && !gives.properties.has(name)) return phrase('property_missing', { name });
  }
  for (const name of gives.required)
    if (takes.isClosed && !takes.properties.has(name)) return phrase('property_untaken', { name });
  for (const [name, types] of gives.properties) {
    const other = takes.properties.get(name);
    if (other !== undefined && gives.required.includes(name) && areApart(types, other))
      return phrase('property_apart', { name, takes: listed(other), gives: listed(types) });
  }
  return null;
}

/** What the next agent's file changes of what this one's says. */
export function contractWarnings(own: AgentDefinition, chain: readonly AgentDefinition[], link: Link): Fault[] {
  const [next] = chain;
  if (!next || next.input?.format !== 'json' || !own.output || own.output.format === 'json') return [];
  const says = phrase('takes_json', { next: next.name, format: own.output.format });
  return [fault(link.at, says, { key: link.key })];
}

const listed = (types: readonly string[] | null): string => types?.join(' or ') ?? '';

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
