/** What agents hand to each other, held against JSON Schemas; and the words that tell an agent what its last message must be. */
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import type { JsonSchema, OutputExpectation } from '#contract/flows/control-flow.ts';
import { sha256 } from '../base/hash.ts';
import { Recent } from '../base/recent.ts';
import { agentToolName } from '../tools/agents/agent-tool.ts';
import { misfits, textOf } from './schemas.ts';

/** Largest text that is read as JSON, in code units, and how deep its lists and objects may lie in each other. */
const MAX_PAYLOAD_CHARS = 1_000_000;
const MAX_DEPTH = 200;

/**
 * The fixed reason that goes with a payload to the next agent, as its schema takes it: a value of its enumeration, within
 * its length. Null where the schema has and requires no property `reason`, or takes none that could be put in.
 */
export function chainedReason(schema: JsonSchema | null, from: string): string | null {
  if (!schema) return null;
  const text = textOf(schema);
  if (text === null) return reasonIn(schema, from);
  return reasons.get(sha256(`${from}\n${text}`), () => reasonIn(schema, from));
}

/** By schema and by the agent before: to look at a schema in bounded time costs a thread. */
const reasons = new Recent<string | null>(200);

function reasonIn(schema: JsonSchema, from: string): string | null {
  const { properties, required, $schema, $defs, definitions } = schema;
  const own = isRecord(properties) && Object.hasOwn(properties, 'reason') ? properties['reason'] : undefined;
  const isRequired = Array.isArray(required) && required.includes('reason');
  if (own === undefined && !isRequired) return null;
  const text = reasonText(from);
  if (isRecord(own) && takesAnyText(own)) return text;
  const reason = isRecord(own) ? fitted(text, own) : text;
  // Its other rules, and what it refers to, are left to the validator.
  const shape = { $schema, $defs, definitions, properties: { reason: own ?? true } };
  const isFine = misfits(JSON.parse(JSON.stringify(shape)) as JsonSchema, { reason }).length === 0;
  return isFine ? reason : null;
}

const reasonText = (from: string): string => `Chained execution from ${agentToolName(from)}`;

/** Seen without the validator, which need not be loaded for what most schemas say of it. */
function takesAnyText({ type, description: _, ...others }: JsonSchema): boolean {
  return type === 'string' && Object.keys(others).length === 0;
}

/** Why a required fixed reason cannot be put in; null where it can, or need not be. */
export function reasonFault(schema: JsonSchema | null, from: string): Phrase | null {
  const required = schema?.['required'];
  if (!Array.isArray(required) || !required.includes('reason') || chainedReason(schema, from) !== null) return null;
  return phrase('reason_unfit', { text: reasonText(from) });
}

function fitted(text: string, { const: only, enum: some, minLength, maxLength }: JsonSchema): string {
  if (typeof only === 'string') return only;
  if (Array.isArray(some)) return some.includes(text) ? text : (some.find((one) => typeof one === 'string') ?? text);
  // Lengths of JSON Schema are of code points.
  const points = [...text];
  const cut = typeof maxLength === 'number' ? points.slice(0, Math.max(0, maxLength)) : points;
  const least = typeof minLength === 'number' && minLength <= MAX_REASON_POINTS ? minLength : 0;
  return [...cut, ...Array.from({ length: Math.max(0, least - cut.length) }, () => '.')].join('');
}

const MAX_REASON_POINTS = 10_000;

/** What an answer is handed over as, or why it is not what was asked for; never throws, and takes no longer than 0.2 seconds. */
export function payloadOf(
  { format, schema, reason }: OutputExpectation,
  text: string,
): { ok: true; payload: string } | { ok: false; why: string } {
  if (text.trim() === '') return { ok: false, why: 'it is empty' };
  if (format !== 'json') return { ok: true, payload: text };
  if (text.length > MAX_PAYLOAD_CHARS)
    return { ok: false, why: `it has ${text.length} characters, and JSON may have ${MAX_PAYLOAD_CHARS}` };
  const plain = withoutFence(text);
  if (depthOf(plain) > MAX_DEPTH)
    return { ok: false, why: `its lists and objects lie in each other more than ${MAX_DEPTH} deep` };
  let value: unknown;
  try {
    value = JSON.parse(plain);
  } catch (error) {
    return { ok: false, why: `it is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const whole = reason !== undefined && isRecord(value) ? { ...value, reason } : value;
  const wrong = schema === null ? [] : misfits(schema, whole);
  if (wrong.length > 0) return { ok: false, why: `it does not fit the schema: ${wrong.join('; ')}` };
  return { ok: true, payload: JSON.stringify(whole) };
}

/** Models put one around JSON although they are told not to. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```')) return trimmed;
  const begin = trimmed.indexOf('\n');
  return begin < 0 || !/^```\w*\s*$/.test(trimmed.slice(0, begin)) ? trimmed : trimmed.slice(begin, -3).trim();
}

/** Of brackets outside of strings. */
function depthOf(text: string): number {
  let [depth, most, isInside] = [0, 0, false];
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    if (isInside && char === '\\') index++;
    else if (char === '"') isInside = !isInside;
    else if (!isInside && (char === '{' || char === '[')) most = Math.max(most, ++depth);
    else if (!isInside && (char === '}' || char === ']')) depth--;
  }
  return most;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** For the end of a system prompt. */
export function expectationWords({ format, schema, next }: OutputExpectation): string {
  const whom = next === undefined ? 'handed over' : `handed to ${next}`;
  if (format !== 'json') return `## Your last message\n\nIt is ${whom} as it is, so it must stand for itself.`;
  const shape = schema === null ? '' : `, and fits this JSON Schema:\n\n${JSON.stringify(schema, null, 2)}`;
  return `## Your last message\n\nIt is ${whom} as it is. So it is one JSON value, with nothing before or after it and no code fence${shape}`;
}
