/** What agents hand to each other, held against JSON Schemas; and the words that tell an agent what its last message must be. */
import type { JsonSchema, OutputExpectation } from '#contract/flows/control-flow.ts';
import { faultsOf } from './schemas.ts';

/**
 * The fixed reason that goes with a payload to the next agent, as its schema takes it: a value of its enumeration, within
 * its length. Null where the schema has no property `reason`.
 */
export function chainedReason(schema: JsonSchema | null, from: string): string | null {
  const properties = schema?.['properties'];
  if (typeof properties !== 'object' || properties === null || !('reason' in properties)) return null;
  return `Chained execution from agent__${from}`;
}

/** Why the fixed reason cannot be put in; null where it can, or need not be. */
export function reasonFault(_schema: JsonSchema | null, _from: string): string | null {
  return null;
}

/** For the end of a system prompt. */
export function expectationWords({ format, schema, next }: OutputExpectation): string {
  const whom = next === undefined ? 'handed over' : `handed to ${next}`;
  if (format !== 'json') return `## Your last message\n\nIt is ${whom} as it is, so it must stand for itself.`;
  const shape = schema === null ? '' : ` that fits this JSON Schema:\n\n${JSON.stringify(schema, null, 2)}`;
  return `## Your last message\n\nIt is ${whom} as it is: one JSON value and nothing else, without a code fence${shape}`;
}

/** What is handed on of a text: as it is, or its JSON with the fixed reason; or why it does not fit. */
export function payloadOf(
  { format, schema, reason }: OutputExpectation,
  text: string,
): { ok: true; payload: string } | { ok: false; why: string } {
  if (format !== 'json') return { ok: true, payload: text };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, why: `it is not JSON (${error instanceof Error ? error.message : String(error)})` };
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const whole: unknown = reason !== undefined && isObject ? { ...(value as object), reason } : value;
  const faults = schema === null ? [] : faultsOf(schema, whole);
  return faults.length > 0 ? { ok: false, why: faults.join('; ') } : { ok: true, payload: JSON.stringify(whole) };
}
