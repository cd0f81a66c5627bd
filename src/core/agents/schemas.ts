/** JSON Schemas of agents' contracts, which anybody may have written: compiled once for each text, and never for long. */
import { createRequire } from 'node:module';
import type * as Draft7 from 'ajv';
import type * as Draft2020 from 'ajv/dist/2020.js';
import type * as Formats from 'ajv-formats';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import type { JsonSchema } from '#contract/flows/control-flow.ts';
import { MAX_SCHEMA_CHARS } from '#contract/limits.ts';
import { bounded } from './bounded.ts';
import { sha256 } from '../base/hash.ts';
import { Recent } from '../base/recent.ts';

/** Loads the validator with the first schema: most agents have none. */
const load = createRequire(import.meta.url);

const OPTIONS = {
  allErrors: true,
  strict: false,
  logger: false,
  unicodeRegExp: false,
  ownProperties: true,
  // Halves the time that a large schema takes.
  code: { optimize: false },
} as const;
/** Compiled schemas that are kept. */
const MAX_KEPT = 200;
const MAX_COMPILE_MS = 500;
const MAX_CHECK_MS = 50;
/** Faults that are told of one value, and characters of each. */
const MAX_FAULTS = 10;
const MAX_FAULT_CHARS = 300;

type Compiled = { validate: Draft7.ValidateFunction } | { why: Phrase };
/** By hash of the text. */
const compiled = new Recent<Compiled>(MAX_KEPT);

/** What is wrong with a schema, to stand behind the name of its key; null for a valid one. */
export function schemaFault(schema: JsonSchema): Phrase | null {
  const made = compile(schema);
  return 'why' in made ? made.why : null;
}

/** What of a value does not fit, each with its path in the value; none where it fits. */
export function misfits(schema: JsonSchema, value: unknown): string[] {
  const made = compile(schema);
  if ('why' in made) return [`its schema ${sentenceOf(made.why)}`];
  const { validate } = made;
  const fits = checked(validate, value);
  if (fits === 'yes') return [];
  if (fits !== 'no') return [fits];
  const errors = validate.errors ?? [];
  const told = errors.slice(0, MAX_FAULTS).map(misfitOf);
  return errors.length > told.length ? [...told, `and ${errors.length - told.length} more`] : told;
}

/** `yes`, `no`, or why it cannot be told: a schema may refer to itself without end. */
function checked(validate: Draft7.ValidateFunction, value: unknown): string {
  try {
    return bounded(MAX_CHECK_MS, () => (validate(value) ? 'yes' : 'no')) ?? 'it takes too long to check';
  } catch (error) {
    return `it cannot be checked: ${wordsOf(error)}`;
  }
}

function misfitOf({ instancePath, message, params }: Draft7.ErrorObject): string {
  const { additionalProperty, allowedValues, allowedValue } = params as Record<string, unknown>;
  const which = additionalProperty ?? allowedValues ?? allowedValue;
  const rest = which === undefined ? '' : ` (${JSON.stringify(which)})`;
  const text = `${instancePath || 'the value'} ${message ?? 'does not fit'}${rest}`;
  return text.length > MAX_FAULT_CHARS ? `${text.slice(0, MAX_FAULT_CHARS).toWellFormed()}…` : text;
}

function compile(schema: JsonSchema): Compiled {
  const text = textOf(schema);
  if (text === null) return { why: phrase('too_deep') };
  if (text.length > MAX_SCHEMA_CHARS) return { why: phrase('longer_json', { max: MAX_SCHEMA_CHARS }) };
  return compiled.get(sha256(text), () => compileNew(schema));
}

/** Null where it lies too deep for that. */
export function textOf(schema: JsonSchema): string | null {
  try {
    return JSON.stringify(schema);
  } catch {
    return null;
  }
}

/** With an instance of its own: two schemas may have one `$id`, and an instance keeps all that it ever compiled. */
function compileNew(schema: JsonSchema): Compiled {
  const { rules, make } = draftOf(schema);
  try {
    // A new one each time: one whose compiling was broken off is in pieces.
    const validate = bounded(MAX_COMPILE_MS, () => {
      void rules.validateSchema(schema, true);
      return make().compile(schema);
    });
    if (!validate) return { why: phrase('slow_schema') };
    // What such a one says comes later, as a promise: everything would seem to fit.
    return '$async' in validate ? { why: phrase('async_schema') } : { validate };
  } catch (error) {
    return { why: phrase('bad_schema', { why: wordsOf(error) }) };
  }
}

interface Draft {
  /** Knows the draft alone, and what a schema of it may be: to compile that takes longer than most schemas. */
  rules: Draft7.Ajv | Draft2020.Ajv2020;
  make: () => Draft7.Ajv | Draft2020.Ajv2020;
}
let old: Draft | null = null;
let current: Draft | null = null;

function draftOf(schema: JsonSchema): Draft {
  if (isOld(schema)) return (old ??= draft((load('ajv') as typeof Draft7).Ajv));
  return (current ??= draft((load('ajv/dist/2020.js') as typeof Draft2020).Ajv2020));
}

/** One class knows one draft. The modules are loaded at once, and not where the time is bounded. */
function draft(Class: typeof Draft7.Ajv | typeof Draft2020.Ajv2020): Draft {
  const { default: formats } = (load('ajv-formats') as typeof Formats).default;
  const made = (options: object) => {
    const ajv = new Class({ ...OPTIONS, ...options });
    formats(ajv);
    return ajv;
  };
  const rules = made({});
  void rules.validateSchema({});
  return { rules, make: () => made({ validateSchema: false }) };
}

function wordsOf(error: unknown): string {
  const what = error instanceof Error ? error.message : String(error);
  return what.slice(0, MAX_FAULT_CHARS).toWellFormed();
}

/** Of draft-06 or draft-07; a schema that does not say is of 2020-12. */
function isOld({ $schema }: JsonSchema): boolean {
  return typeof $schema === 'string' && /draft-0[67]/.test($schema);
}
