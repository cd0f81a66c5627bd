/**
 * Normalizes and checks the arguments of tool calls. Models send aliases, numbers as text, nulls and additional keys;
 * each call is normalized once, so that rules, approval, record and tool get the same arguments.
 */
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { ToolUsePart } from '#contract/message.ts';
import { problemWords } from '../base/problem-words.ts';
import { cutAtCodePoint } from '../base/text.ts';
import {
  asRecord,
  formatSignature,
  getInputSchema,
  getProperties,
  isRequired,
  type JsonSchema,
} from './input-schema.ts';
import { type Tool, writes } from './tool.ts';

/** Other names for arguments, used only where a tool has the argument and not the alias. */
const ALIASES: Readonly<Record<string, string>> = {
  file_path: 'path',
  cmd: 'command',
  old_string: 'old_text',
  new_string: 'new_text',
  todos: 'items',
  handle: 'call',
  result: 'summary',
  run_in_background: 'background',
  bash_id: 'id',
  shell_id: 'id',
};
/** Aliases that are too general for `ALIASES`: `id` means `call` only where a tool has no `id`. */
const WEAK_ALIASES: Readonly<Record<string, string>> = { id: 'call' };

/** Names of arguments that restrict a call, as lower-case letters only: a call that has one unused is refused. */
const RESTRICTION = /readonly|network|offline|tools|permission|dryrun|sandbox/;
/** The same for tools that change something or reach out: without the argument they would do it elsewhere or to more. */
const EFFECT_RESTRICTION =
  /writ(e|able)|internet|approv|confirm|simulate|preview|cwd|workdir|workingdir|append|overwrite|mode$|recursive|domain|exclude/;
/** Deepest nesting of arguments; deeper ones are refused. */
const MAX_DEPTH = 100;

/** Maximum length of the error for arguments that do not fit, in UTF-16 code units. */
const MAX_ERROR_CHARS = 600;
/** Characters of that for the problem itself at least, however long the signature is. */
const MIN_PROBLEM_CHARS = 240;

interface Normalized {
  input: unknown;
  /** Paths of arguments that were dropped, such as `explanation` or `edits.0.note`. */
  ignored: string[];
  /** Problems that normalization found; the arguments must not be used if there is one. */
  problems: string[];
}

/** Returns the tool that a call means by its name, and the arguments that the name implies. */
function findTool(tools: readonly Tool[], name: string): { tool: Tool; implied: JsonSchema } | null {
  const tool = tools.find((one) => one.name === name);
  if (tool) return { tool, implied: {} };
  const other = tools.find(({ calledAs = {} }) => Object.hasOwn(calledAs, name));
  return other ? { tool: other, implied: other.calledAs?.[name] ?? {} } : null;
}

/**
 * Returns the call with the name and the arguments of its tool. `written` has what the model wrote, and `ignored` what
 * was dropped. A call that cannot be normalized is returned unchanged: `parseArguments` reports why.
 */
export function normalizeCall(tools: readonly Tool[], call: ToolUsePart): ToolUsePart {
  if (call.malformed !== undefined) return call;
  const found = findTool(tools, call.name);
  if (!found) return call;
  const { tool, implied } = found;
  const given = readObject(call.input);
  if (given && Object.keys(implied).some((key) => Object.hasOwn(given, key) && given[key] !== implied[key]))
    return call;
  const { input, ignored, problems } = normalizeArguments(tool, given ? { ...implied, ...given } : call.input);
  if (problems.length > 0) return call;
  if (tool.name === call.name && isDeepStrictEqual(input, call.input)) return call;
  const written = { name: call.name, input: call.input };
  return { ...call, name: tool.name, input, written, ...(ignored.length > 0 && { ignored }) };
}

/** Returns the arguments in the form that the tool's schema has. Arguments of a foreign schema are returned unchanged. */
function normalizeArguments(tool: Tool, raw: unknown): Normalized {
  const result: Normalized = { input: raw, ignored: [], problems: [] };
  if (isTooDeep(raw)) result.problems.push('they are nested too deeply');
  if (tool.schema || result.problems.length > 0) return result;
  const given = readObject(raw);
  if (!given) return result;
  const schema = getInputSchema(tool);
  const hasEffect = writes(tool) || tool.permissions.includes('NetworkAccess');
  const reading = { canDrop: !tool.startsAgents, hasEffect, result };
  try {
    const prepared = tool.prepareArguments?.(given) ?? given;
    result.input = normalizeObject(wrapSingle(tool, prepared, schema), schema, '', reading);
  } catch (error) {
    if (!(error instanceof ArgumentProblem)) throw error;
    result.problems.push(error.message);
  }
  return result;
}

/** The arguments cannot be normalized; the message is for the model. */
export class ArgumentProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ArgumentProblem';
  }
}

export function conflict(name: string, other: string): ArgumentProblem {
  return new ArgumentProblem(`${name} and ${other} are the same argument and have different values: give one of them`);
}

interface Reading {
  /** Unknown arguments may be dropped. */
  canDrop: boolean;
  /** The tool changes something or reaches out. */
  hasEffect: boolean;
  result: Normalized;
}

function normalizeObject(given: JsonSchema, schema: JsonSchema, path: string, reading: Reading): JsonSchema {
  const properties = getProperties(schema);
  const isOpen = schema['additionalProperties'] !== false;
  const names = new Map<string, string>();
  const normalized: JsonSchema = {};
  for (const [key, value] of Object.entries(given)) {
    if (key === '__proto__') throw new ArgumentProblem(`${path}${key} is not an argument`);
    const name = resolveName(key, properties);
    const property = name === null ? undefined : properties[name];
    if (name === null || !property) {
      keepUnknown(normalized, { key, value, path, isOpen }, reading);
      continue;
    }
    if (value === null && !isRequired(schema, name)) continue;
    const converted = normalizeValue(value, property, `${path}${name}.`, reading);
    const other = names.get(name);
    if (other !== undefined && !isDeepStrictEqual(normalized[name], converted))
      throw conflict(`${path}${other}`, `${path}${key}`);
    names.set(name, key);
    normalized[name] = converted;
  }
  return normalized;
}

/** Drops an unknown argument, unless its absence could allow more than the call asked for. */
function keepUnknown(
  normalized: JsonSchema,
  { key, value, path, isOpen }: { key: string; value: unknown; path: string; isOpen: boolean },
  { canDrop, hasEffect, result }: Reading,
): void {
  const letters = key.toLowerCase().replaceAll(/[^a-z]/g, '');
  const isRestriction = RESTRICTION.test(letters) || (hasEffect && EFFECT_RESTRICTION.test(letters));
  if (canDrop && !isOpen && !isRestriction) {
    result.ignored.push(`${path}${key}`);
    return;
  }
  normalized[key] = value;
  if (canDrop && isRestriction && !isOpen)
    result.problems.push(`${path}${key} is not an argument of this tool, and without it the call could do more`);
}

/** Returns the property that a key means: itself, in snake case, or by an alias; null for an unknown key. */
function resolveName(key: string, properties: Record<string, JsonSchema>): string | null {
  const snake = toSnakeCase(key);
  const names = [key, snake, ALIASES[snake], WEAK_ALIASES[snake]];
  return names.find((name) => name !== undefined && Object.hasOwn(properties, name)) ?? null;
}

export function toSnakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Moves the fields of a single item, such as `old_text` of one edit, into the array argument of the tool. */
function wrapSingle({ single }: Tool, given: JsonSchema, schema: JsonSchema): JsonSchema {
  if (single === undefined) return given;
  const properties = getProperties(schema);
  const fields = getProperties(asRecord(properties[single]?.['items']) ?? {});
  const entries = Object.entries(given);
  const isField = ([key]: [string, unknown]): boolean =>
    resolveName(key, properties) === null && resolveName(key, fields) !== null;
  const item = entries.filter(isField);
  if (item.length === 0) return given;
  const array = entries.find(([key]) => resolveName(key, properties) === single);
  if (array && array[1] !== null) throw conflict(single, item.map(([key]) => key).join(', '));
  const others = entries.filter((entry) => entry !== array && !isField(entry));
  return { ...Object.fromEntries(others), [single]: [Object.fromEntries(item)] };
}

/** Converts a value where the schema leaves one meaning: text of a number, a boolean, an array or an object. */
function normalizeValue(value: unknown, schema: JsonSchema, path: string, reading: Reading): unknown {
  const { type, items } = schema;
  const parsed = typeof value === 'string' ? convertText(value, type) : value;
  if (type === 'array' && Array.isArray(parsed))
    return parsed.map((item: unknown, index) =>
      normalizeValue(item, asRecord(items) ?? {}, `${path}${index}.`, reading),
    );
  const record = type === 'object' ? asRecord(parsed) : null;
  return record ? normalizeObject(record, schema, path, reading) : parsed;
}

function convertText(text: string, type: unknown): unknown {
  const trimmed = text.trim();
  if (type === 'boolean' && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed);
  if (type === 'array' || type === 'object') {
    const value = parseJson(trimmed);
    if (type === 'array' ? Array.isArray(value) : asRecord(value)) return value;
  }
  return text;
}

/** Returns the fields of an object, or of the JSON text of one; null for anything else. */
function readObject(raw: unknown): JsonSchema | null {
  return asRecord(raw) ?? asRecord(parseJson(raw));
}

function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((one): unknown[] => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the parsed arguments of a normalized call, or the error for the model: the problem and the tool's signature. */
export function parseArguments(tool: Tool, call: ToolUsePart): { input: unknown } | { refusal: string } {
  if (call.malformed !== undefined) {
    const fault = findJsonFault(call.malformed);
    const problem = `The arguments of ${tool.name} are not complete JSON (perhaps cut off at the limit of output tokens): ${fault}. Nothing was run. Send the call again, with shorter arguments if they were cut off`;
    return { refusal: withSignature(tool, problem) };
  }
  const { problems } = normalizeArguments(tool, call.input);
  const parsed = isTooDeep(call.input) ? null : tool.input.safeParse(call.input, { error: problemWords });
  if (problems.length === 0 && parsed?.success) return { input: parsed.data };
  const issues = (parsed?.error?.issues ?? []).filter(
    ({ code }) => problems.length === 0 || code !== 'unrecognized_keys',
  );
  const found = [...problems, ...issues.map(formatIssue)].join('; ');
  return { refusal: withSignature(tool, `Invalid arguments for ${tool.name}, nothing was run: ${found}`) };
}

function formatIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.map(String).join('.')} ${message}`;
}

function withSignature(tool: Tool, problem: string): string {
  const signature = cut(`Arguments: ${formatSignature(tool)}`, MAX_ERROR_CHARS - MIN_PROBLEM_CHARS - 1);
  return `${cut(problem, MAX_ERROR_CHARS - signature.length - 1)}\n${signature}`;
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${cutAtCodePoint(text, maxChars - 1)}…`;
}

/** Returns the parser's own words, such as "Unterminated string in JSON at position 14". */
function findJsonFault(json: string): string {
  try {
    JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
  }
  return 'they end too early';
}
