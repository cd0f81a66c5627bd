/** Files of the person's in TOML, read strictly: all that is wrong with one, with its line and key. */
import { readFile } from 'node:fs/promises';
import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { codeOf, TriadError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { problemWords } from '../base/problem-words.ts';
import { refuseWriteFault } from '../base/write-fault.ts';
import { lineFinder } from './settings-text.ts';

export interface FileProblem {
  line: number;
  /** Dotted path; null where the file is no TOML. */
  key: string | null;
  message: string;
  suggestion: string | null;
}

export type CheckedFile<T> = { ok: true; value: T } | { ok: false; problems: FileProblem[] };

/** `isNot`: what is said of an unknown key; `suggest`: the key that was meant by a dotted path. */
export interface UnknownKeys {
  isNot: string;
  suggest: (path: string) => string | null;
}

/** What is said of a text that is no TOML. */
export function tomlFault({ message }: TomlError): string {
  return message.split('\n')[0]!.replace(/^Invalid TOML document: /, 'is not valid TOML: ');
}

/** The value of a file's text, or everything that is wrong with it; never throws for a bad text. */
export function checkToml<T>(text: string, schema: z.ZodType<T>, unknown: UnknownKeys): CheckedFile<T> {
  let raw: unknown;
  try {
    raw = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { ok: false, problems: [{ line: error.line, key: null, message: tomlFault(error), suggestion: null }] };
  }
  return checkTable(raw, text, schema, unknown);
}

/** The same for what was parsed from the text. */
export function checkTable<T>(
  raw: unknown,
  text: string,
  schema: z.ZodType<T>,
  { isNot, suggest }: UnknownKeys,
): CheckedFile<T> {
  const result = schema.safeParse(raw, { error: problemWords, reportInput: true });
  if (result.success) return { ok: true, value: result.data };
  const lineOf = lineFinder(text);
  const problems = result.error.issues.flatMap((issue): FileProblem[] => {
    const path = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') {
      const suggestion = issue.code === 'invalid_value' ? nearest(String(issue.input), issue.values.map(String)) : null;
      return [{ line: lineOf(path), key: path.join('.'), message: issue.message, suggestion }];
    }
    return issue.keys.map((unknown) => {
      const key = [...path, unknown];
      return { line: lineOf(key), key: key.join('.'), message: isNot, suggestion: suggest(key.join('.')) };
    });
  });
  return { ok: false, problems };
}

/** The value. Throws `bad_input` with file, line and key of the first problem, and all of them as its detail. */
export function mustFit<T>(result: CheckedFile<T>, file: string): T {
  if (result.ok) return result.value;
  const lines = result.problems.map((problem) => `${file}:${problem.line}: ${sentenceOf(problem)}`);
  throw new TriadError('bad_input', lines[0]!, { detail: lines.join('\n') });
}

/** One sentence for the person, without file and line. */
export function sentenceOf({ key, message, suggestion }: FileProblem): string {
  const hint = suggestion === null ? '' : ` (did you mean ${suggestion}?)`;
  return `${key === null ? '' : `${key} `}${message}${hint}`;
}

/**
 * The text; null where there is no such file. Throws `not_allowed` where others may write it, and `bad_input` where it
 * cannot be read.
 */
export async function readOwnFile(file: string): Promise<string | null> {
  await refuseWriteFault(file);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new TriadError('bad_input', `${file} cannot be read`, { cause: error, detail: String(error) });
  }
}
