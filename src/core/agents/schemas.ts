/** JSON Schemas of agents' contracts: checked once, compiled once for each text. */
import { createRequire } from 'node:module';
import type * as Draft7 from 'ajv';
import type * as Draft2020 from 'ajv/dist/2020.js';
import type * as Formats from 'ajv-formats';
import type { JsonSchema } from '#contract/flows/control-flow.ts';
import { MAX_SCHEMA_CHARS } from '#contract/limits.ts';
import { canonicalHash } from '../base/hash.ts';

/** Loads the validator with the first schema: most agents have none. */
const load = createRequire(import.meta.url);

const OPTIONS = {
  allErrors: true,
  strict: false,
  logger: false,
  unicodeRegExp: false,
  ownProperties: true,
  messages: true,
} as const;
/** Compiled schemas that are kept. */
const MAX_KEPT = 200;

type Validate = Draft7.ValidateFunction;
const compiled = new Map<string, { validate: Validate } | { why: string }>();

/** What is wrong with a schema, behind its key; null for a valid one. */
export function schemaFault(schema: JsonSchema): string | null {
  const made = compile(schema);
  return 'why' in made ? made.why : null;
}

/** Readable faults of a value, at most a handful; none where it fits. Throws for a schema with faults. */
export function faultsOf(schema: JsonSchema, value: unknown): string[] {
  const made = compile(schema);
  if ('why' in made) throw new Error(`the schema ${made.why}`);
  if (made.validate(value)) return [];
  return (made.validate.errors ?? []).map(({ instancePath, message, params }) => {
    const extra = 'additionalProperty' in params ? `: ${String(params['additionalProperty'])}` : '';
    return `${instancePath || '/'} ${message ?? 'does not fit'}${extra}`;
  });
}

function compile(schema: JsonSchema): { validate: Validate } | { why: string } {
  const text = JSON.stringify(schema);
  if (text.length > MAX_SCHEMA_CHARS) return { why: `is longer than ${MAX_SCHEMA_CHARS} characters of JSON` };
  const key = canonicalHash(schema);
  const known = compiled.get(key);
  if (known) return known;
  const made = compileNew(schema);
  if (compiled.size >= MAX_KEPT) compiled.delete(compiled.keys().next().value ?? '');
  compiled.set(key, made);
  return made;
}

/** With an instance of its own, so that equal ids of different schemas do not meet, and nothing is kept twice. */
function compileNew(schema: JsonSchema): { validate: Validate } | { why: string } {
  try {
    const ajv = isOld(schema)
      ? new (load('ajv') as typeof Draft7).Ajv(OPTIONS)
      : new (load('ajv/dist/2020.js') as typeof Draft2020).Ajv2020(OPTIONS);
    (load('ajv-formats') as typeof Formats).default.default(ajv);
    return { validate: ajv.compile(schema) };
  } catch (error) {
    return { why: `is not a valid JSON Schema: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Of draft-07; a schema that does not say is of 2020-12. */
function isOld({ $schema }: JsonSchema): boolean {
  return typeof $schema === 'string' && /draft-0[67]/.test($schema);
}
