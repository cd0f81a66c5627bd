/** What does not fit a schema, in the words of a person: the end of a sentence that begins with the name of the value. */
import type { z } from 'zod';

const KINDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a table',
  record: 'a table',
};

/** Longest text that is repeated to the person, in code units. */
const SHOWN_CHARS = 60;

/**
 * For `safeParse`; what a schema says itself goes first. A text that is too long is not repeated (it could be a key that
 * stands in the wrong place), and neither is one of the wrong form.
 */
export const problemWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return 'is missing';
    return `must be ${KINDS[issue.expected] ?? `of the kind ${issue.expected}`}, not ${shown(issue.input)}`;
  }
  if (issue.code === 'invalid_value')
    return `must be ${issue.values.map(String).join(' or ')}, not ${shown(issue.input)}`;
  if (issue.code === 'unrecognized_keys') return `has nothing named ${issue.keys.join(' or ')}`;
  if (issue.code === 'too_big') {
    const counted = COUNTED[issue.origin];
    if (counted) return `must have at most ${issue.maximum} ${counted}`;
    return `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}, not ${shown(issue.input)}`;
  }
  if (issue.code === 'too_small') {
    const counted = COUNTED[issue.origin];
    if (counted) return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} ${counted}`;
    return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}, not ${shown(issue.input)}`;
  }
  return 'does not fit';
};

const COUNTED: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Date) return 'a date';
  if (typeof value === 'object' && value !== null) return 'a table';
  if (typeof value !== 'string') return String(value);
  return value.length > SHOWN_CHARS ? 'a longer text' : JSON.stringify(value);
}

/** Names for people of the fields that people fill in; other fields are named by their path. */
const NAMES: Readonly<Record<string, string>> = {
  tokens: 'The number of tokens',
  costUsd: 'The cost in US dollars',
  minutes: 'The number of minutes',
  iterations: 'The number of iterations',
  text: 'The text',
  folder: 'The folder',
  agent: 'The name of the agent',
  model: 'The name of the model',
  apiKey: 'The key',
  baseUrl: 'The address',
  olderThanDays: 'The number of days',
  minCostUsd: 'The least cost',
};

/** The beginning of the sentence; `whole` names the input where the path is empty. */
export function inputName(path: readonly PropertyKey[], whole: string): string {
  return NAMES[String(path.at(-1))] ?? (path.map(String).join('.') || whole);
}
