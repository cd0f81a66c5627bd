/** The keys by which an agent says what it takes, what it gives, and who follows it. */
import type { AgentDefinition, Fault } from '#contract/agent.ts';
import type { JsonSchema } from '#contract/flows/control-flow.ts';
import { fault, type Position, START } from './entries.ts';
import type { AgentKeys } from './keys.ts';
import type { Link } from './links/link.ts';
import { schemaFault } from './schemas.ts';

type Contracts = Pick<AgentDefinition, 'next' | 'input' | 'output' | 'exposeAsTool' | 'projectInstructions'>;
type PositionOf = (path: readonly PropertyKey[]) => Position | null;

/** Of keys without faults. */
export function contractsOf(values: AgentKeys): Contracts {
  const { input_format: takes, output_format: gives, expose_as_tool: isTool, project_instructions: isTold } = values;
  const next = listOf(values.next);
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

export function linksIn({ next }: AgentKeys, positionOf: PositionOf): Link[] {
  return listOf(next).map((wanted, index): Link => {
    const item = Array.isArray(next) ? index : null;
    const at = positionOf(item === null ? ['next'] : ['next', item]) ?? START;
    return { use: 'next', wanted, key: 'next', item, at };
  });
}

/** What the keys cannot be together. The schemas of agents that come with the program are fine: reading one loads a validator. */
export function contractFaults(values: AgentKeys, positionOf: PositionOf, isBuiltin: boolean): Fault[] {
  const at = (key: string): Position => positionOf([key]) ?? START;
  const faults = (['input', 'output'] as const).flatMap((side): Fault[] => {
    const [format, schema] = [values[`${side}_format`], values[`${side}_schema`]];
    const key = `${side}_schema`;
    if (schema === undefined)
      return side === 'input' && format === 'json'
        ? [
            fault(at('input_format'), 'input_format json needs input_schema, which says what it takes', {
              key: 'input_format',
            }),
          ]
        : [];
    if (format !== 'json') {
      const message = `${key} needs ${side}_format: json${format === undefined ? '' : `, not ${format}`}`;
      return [fault(at(key), message, { key })];
    }
    const read = readSchema(schema);
    const why = typeof read === 'string' ? read : isBuiltin ? null : schemaFault(read);
    return why === null ? [] : [fault(at(key), `${key} ${why}`, { key })];
  });
  if (values.role !== 'primary') return faults;
  const leads = (['next', 'input_format', 'expose_as_tool'] as const).filter((key) => values[key]);
  return [
    ...faults,
    ...leads.map((key) =>
      fault(at(key), `${key} is for agents that a lead starts: this one has role primary`, { key }),
    ),
  ];
}

/** The warning for entries of `next` that are never started. */
export function idleNext({ next }: AgentKeys, positionOf: PositionOf): Fault[] {
  if (!Array.isArray(next) || next.length < 2) return [];
  const message = `next: only the first entry, ${next[0]}, is started; this one is not`;
  return [fault(positionOf(['next', 1]) ?? START, message, { key: 'next' })];
}

function listOf(next: AgentKeys['next']): string[] {
  return next === undefined ? [] : [next].flat();
}

function schemaOf(schema: AgentKeys['input_schema']): JsonSchema | null {
  const read = schema === undefined ? null : readSchema(schema);
  return typeof read === 'string' ? null : read;
}

/** Text where it cannot be read: why. */
function readSchema(schema: string | JsonSchema): JsonSchema | string {
  if (typeof schema !== 'string') return schema;
  try {
    const value: unknown = JSON.parse(schema);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonSchema;
    return 'must be a JSON object';
  } catch (error) {
    return `is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
