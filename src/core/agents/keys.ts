/** The keys of Triad's own agents: what each may be, in the words that a person reads where it is not. */
import { z } from 'zod';
import { AgentName, Effort, type Fault, McpServerName, Permission } from '#contract/agent.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase, type PhraseKey, sentenceOf } from '#contract/approvals/phrases.ts';
import { ProviderName } from '#contract/providers/provider.ts';
import {
  MAX_BUDGET,
  MAX_DOOM_LOOP_THRESHOLD,
  MAX_ITERATIONS,
  MAX_NAME_CHARS,
  MAX_PROMPT_CHARS,
  MAX_REFLECTION_RETRIES,
  MIN_DOOM_LOOP_THRESHOLD,
  MAX_TEMPERATURE,
} from '#contract/limits.ts';
import { nearest } from '../base/nearest.ts';
import { type Entry, fault, laterPlace, type Position, START } from './entries.ts';

const RULES = new Map<string, Phrase>();

/** Returns the error text of a schema rule. `getRulePhrase` returns its phrase again, because a schema takes only texts. */
export const rule = <K extends PhraseKey>(...said: Parameters<typeof phrase<K>>): string => {
  const says = phrase(...said);
  const words = sentenceOf(says);
  RULES.set(words, says);
  return words;
};

const getRulePhrase = (words: string): Phrase => RULES.get(words) ?? phrase('as_it_is', { words });

export const word = z
  .string({ error: rule('be_text') })
  .trim()
  .min(1, rule('not_empty'));
export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: rule('one_of', { values: values.join(', ') }) });
export const whole = (max: number, min = 1) =>
  z
    .int({ error: rule('whole_in', { min, max }) })
    .min(min, rule('at_least', { min }))
    .max(max, rule('at_most', { max }));
const between = (min: number, max: number) => {
  const error = rule('number_in', { min, max });
  return z.number({ error }).min(min, error).max(max, error);
};
const flag = z.boolean({ error: rule('flag') });
const listOf = <T extends z.ZodType>(item: T, error: string) => z.array(item, { error });

/** In the file's own words, or as JSON text. */
const schema = z.union([z.record(z.string(), z.unknown()), word], {
  error: rule('schema'),
});

const MINUTES = rule('minutes_in', { max: MAX_BUDGET.minutes });

/** An absent optional one leaves the choice to the parent or the settings. */
export const keys = {
  name: z
    .string({ error: rule('be_text') })
    .refine((name) => AgentName.safeParse(name).success, rule('agent_name', { max: MAX_NAME_CHARS })),
  description: word,
  role: oneOf(['primary', 'subagent']).default('subagent'),
  provider: z
    .string({ error: rule('be_text') })
    .refine((name) => ProviderName.safeParse(name).success, rule('provider_name'))
    .optional(),
  model: word.optional(),
  effort: oneOf(Effort.options).optional(),
  max_tokens: whole(1_000_000).optional(),
  temperature: between(0, MAX_TEMPERATURE).optional(),
  max_iterations: whole(MAX_ITERATIONS).optional(),
  doom_loop_threshold: whole(MAX_DOOM_LOOP_THRESHOLD, MIN_DOOM_LOOP_THRESHOLD).optional(),
  max_minutes: z.number({ error: MINUTES }).positive(MINUTES).max(MAX_BUDGET.minutes, MINUTES).optional(),
  tools: listOf(word, rule('tool_list')).optional(),
  mcp_servers: listOf(
    z.string({ error: rule('be_text') }).refine((name) => McpServerName.safeParse(name).success, rule('server_name')),
    rule('server_list'),
  ).optional(),
  permissions: listOf(oneOf(Permission.options), rule('permission_list')).optional(),
  requires_approval: listOf(word, rule('approval_list')).default([]),
  approval_timeout: whole(86_400).optional(),
  enable_reflection: flag.default(false),
  max_retries: whole(MAX_REFLECTION_RETRIES, 0).optional(),
  reflection_criteria: z.union([word, z.array(word).min(1)], { error: rule('criteria') }).optional(),
  enabled: flag.default(true),
  next: z
    .union([word, z.array(word).min(1, rule('next_empty'))], {
      error: rule('next_names'),
    })
    .optional(),
  input_format: oneOf(['text', 'json']).optional(),
  input_schema: schema.optional(),
  output_format: oneOf(['text', 'markdown', 'json']).optional(),
  output_schema: schema.optional(),
  expose_as_tool: flag.default(false),
  project_instructions: flag.default(false),
} satisfies Record<string, z.ZodType>;

/** Of TOML alone; in Markdown the text below the frontmatter is the prompt. */
const prompt = z
  .string({ error: rule('be_text') })
  .trim()
  .min(1, rule('not_empty'))
  .max(MAX_PROMPT_CHARS, rule('longer', { max: MAX_PROMPT_CHARS }));

export const MarkdownKeys = z.object(keys);
export const TomlKeys = z.object({ ...keys, prompt });
export type AgentKeys = z.infer<typeof MarkdownKeys>;

/** Groups of keys that are checked together, and only if none of them has a fault. */
const KEY_GROUPS: readonly (readonly string[])[] = [
  ['provider', 'model'],
  ['input_format', 'input_schema'],
  ['output_format', 'output_schema'],
];

/** Finds the position of a key's value, or of an item of its list; null for an absent key. */
export type FindPosition = (path: readonly PropertyKey[]) => Position | null;

/** The entries of a file that a schema has, checked against it. */
export interface CheckedKeys<T> {
  /** Null with any fault. */
  values: T | null;
  /** Those without a fault, so that a fault in one key does not hide those of others. */
  validValues: Partial<T>;
  raw: Readonly<Record<string, unknown>>;
  unknown: Entry[];
  faults: Fault[];
  findPosition: FindPosition;
}

export function checkKeys<T extends z.ZodObject>(schema: T, entries: readonly Entry[]): CheckedKeys<z.infer<T>> {
  const isKnown = ({ key }: Entry): boolean => key !== null && Object.hasOwn(schema.shape, key);
  const known = new Map(entries.filter(isKnown).map((entry) => [entry.key ?? '', entry]));
  const raw = Object.fromEntries([...known].map(([key, { value }]) => [key, value]));
  const findPosition: FindPosition = ([key, index]) => {
    const entry = known.get(String(key));
    return entry ? laterPlace(() => (typeof index === 'number' ? entry.items[index] : null) ?? entry.valueAt) : null;
  };
  const result = schema.safeParse(raw, { reportInput: true });
  return {
    values: result.success ? result.data : null,
    validValues: result.success ? result.data : selectValidValues(schema, raw),
    raw,
    unknown: entries.filter((entry) => !isKnown(entry)),
    faults: result.success ? [] : result.error.issues.map((issue) => createFault(issue, schema, findPosition)),
    findPosition,
  };
}

function createFault(issue: z.core.$ZodIssue, schema: z.ZodObject, findPosition: FindPosition): Fault {
  const key = String(issue.path[0]);
  const place = findPosition(issue.path);
  if (!place) return fault(START, [phrase('value', { key, item: null }), phrase('is_missing')], { key });
  const { input, code } = issue;
  const suggestion =
    code === 'invalid_value' && typeof input === 'string' ? nearest(input, issue.values.map(String)) : null;
  const item = typeof issue.path[1] === 'number' ? issue.path[1] : null;
  const canBeAbsent = z.safeParse(schema.shape[key], undefined).success;
  const empty = input === null && item === null && canBeAbsent ? [phrase('or_left_out')] : [];
  return fault(place, [phrase('value', { key, item }), getRulePhrase(issue.message), ...empty], { key, suggestion });
}

function selectValidValues<T extends z.ZodObject>(
  schema: T,
  raw: Readonly<Record<string, unknown>>,
): Partial<z.infer<T>> {
  const checked = Object.entries(schema.shape).map(([key, type]) => [key, z.safeParse(type, raw[key])] as const);
  const faulty = checked.flatMap(([key, { success }]) => (success ? [] : [key]));
  const idle = KEY_GROUPS.filter((keys) => keys.some((key) => faulty.includes(key))).flat();
  const valid = checked.filter(([key, { success }]) => success && !idle.includes(key));
  return Object.fromEntries(valid.map(([key, { data }]) => [key, data])) as Partial<z.infer<T>>;
}
