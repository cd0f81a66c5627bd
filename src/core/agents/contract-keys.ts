/** The keys by which an agent says what it takes, what it gives, and who follows it. */
import type { AgentDefinition, Fault } from '#contract/agent.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import type { JsonSchema } from '#contract/flows/control-flow.ts';
import { fault, type Position, START } from './entries.ts';
import type { AgentKeys, FindPosition } from './keys.ts';
import type { Link } from './links/link.ts';
import { schemaFault } from './schemas.ts';

type Contracts = Pick<AgentDefinition, 'next' | 'input' | 'output' | 'exposeAsTool' | 'projectInstructions'>;

/** Of keys without faults. */
export function contractsOf(values: AgentKeys): Contracts {
  const { input_format: takes, output_format: gives, expose_as_tool: isTool, project_instructions: isTold } = values;
  const next = toList(values.next);
  const input = takes === undefined ? undefined : { format: takes, schema: schemaOf(values.input_schema) };
  const output = gives === undefined ? undefined : { format: gives, schema: schemaOf(values.output_schema) };
  return {
    ...(next.length > 0 ? { next } : {}),
    ...(input ? { input } : {}),
    ...(output ? { output } : {}),
    ...(isTool ? { exposeAsTool: true } : {}),
    ...(isTold ? { projectInstructions: true } : {}),
  };
}

export function linksIn({ next }: Partial<AgentKeys>, findPosition: FindPosition): Link[] {
  return toList(next).map((wanted, index): Link => {
    const item = Array.isArray(next) ? index : null;
    const at = findPosition(item === null ? ['next'] : ['next', item]) ?? START;
    return { use: 'next', wanted, key: 'next', item, at };
  });
}

/** What the keys cannot be together. The schemas of agents that come with the program are fine: reading one loads a validator. */
export function contractFaults(values: Partial<AgentKeys>, findPosition: FindPosition, isBuiltin: boolean): Fault[] {
  const at = (key: string): Position => findPosition([key]) ?? START;
  const faults = (['input', 'output'] as const).flatMap((side): Fault[] => {
    const [format, schema] = [values[`${side}_format`], values[`${side}_schema`]];
    const key = `${side}_schema`;
    if (schema === undefined)
      return side === 'input' && format === 'json'
        ? [fault(at('input_format'), phrase('json_needs_schema'), { key: 'input_format' })]
        : [];
    if (format !== 'json')
      return [fault(at(key), phrase('schema_needs_json', { side, format: format ?? null }), { key })];
    const read = readSchema(schema);
    const why = 'why' in read ? read.why : isBuiltin ? null : schemaFault(read.schema);
    return why === null ? [] : [fault(at(key), [phrase('value', { key, item: null }), why], { key })];
  });
  if (values.role !== 'primary') return faults;
  const leads = (['next', 'input_format', 'expose_as_tool'] as const).filter((key) => values[key]);
  return [...faults, ...leads.map((key) => fault(at(key), phrase('for_started', { key }), { key }))];
}

/** The warning for entries of `next` that are never started. */
export function idleNext({ next }: AgentKeys, findPosition: FindPosition): Fault[] {
  if (!Array.isArray(next) || next.length < 2) return [];
  const says = phrase('idle_next', { first: next[0] ?? '' });
  return [fault(findPosition(['next', 1]) ?? START, says, { key: 'next' })];
}

function toList(next: AgentKeys['next'] | undefined): string[] {
  return next === undefined ? [] : [next].flat();
}

function schemaOf(schema: AgentKeys['input_schema']): JsonSchema | null {
  const read = schema === undefined ? null : readSchema(schema);
  return read && 'schema' in read ? read.schema : null;
}

/** `why`: where it cannot be read. */
function readSchema(schema: string | JsonSchema): { schema: JsonSchema } | { why: Phrase } {
  if (typeof schema !== 'string') return { schema };
  try {
    const value: unknown = JSON.parse(schema);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { schema: value as JsonSchema };
    return { why: phrase('json_object') };
  } catch (error) {
    return { why: phrase('bad_json', { why: error instanceof Error ? error.message : String(error) }) };
  }
}
