/** Files of the person's in TOML, read strictly: all that is wrong with one, with its line and key. */
import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { codeOf, TriadError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { problemWords } from '../base/problem-words.ts';
import { refuseWriteFault } from '../base/write-refusals.ts';
import { dotted } from './dotted-path.ts';
import { positionFinder } from '../base/toml-tree.ts';

export interface FileProblem {
  line: number;
  column: number;
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
    const { line, column } = error;
    return { ok: false, problems: [{ line, column, key: null, message: tomlFault(error), suggestion: null }] };
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
  const placeOf = positionFinder(text);
  const problems = result.error.issues.flatMap((issue): FileProblem[] => {
    const path = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') {
      const suggestion = issue.code === 'invalid_value' ? nearest(String(issue.input), issue.values.map(String)) : null;
      return [{ ...placeOf(path), key: dotted(path), message: issue.message, suggestion }];
    }
    return issue.keys.map((unknown) => {
      const key = [...path, unknown];
      return { ...placeOf(key), key: dotted(key), message: isNot, suggestion: suggest(dotted(key)) };
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

/** Why a file cannot be read as it is: where, what, and what to do. */
export interface ReadFault {
  line: number;
  column: number;
  what: string;
  remedy: string;
}

/** Largest file of settings that is read, in bytes. */
const MAX_FILE = 1024 * 1024;

/** The text of a regular file in UTF-8, null where there is none, or why it cannot be read. Never rejects. */
export async function tryRead(file: string): Promise<{ text: string | null } | { fault: ReadFault }> {
  const fault = (what: string, remedy: string, place = { line: 1, column: 1 }) => ({
    fault: { ...place, what, remedy },
  });
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return fault('is no file', 'put it away, and write a file of this name');
    if (stats.size > MAX_FILE) return fault(`is larger than ${MAX_FILE / 1024} KiB`, 'make it smaller');
    const bytes = await readFile(file);
    const text = bytes.toString('utf8');
    if (isUtf8(bytes)) return { text };
    return fault('is not UTF-8 here', 'save the file as UTF-8', placeOfBadByte(text));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { text: null };
    return fault(`cannot be read (${codeOf(error) ?? String(error)})`, 'check its owner and permissions');
  }
}

/** Of the first character that stands for bytes which are none. */
function placeOfBadByte(text: string): { line: number; column: number } {
  const before = text.slice(0, text.indexOf('\uFFFD'));
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/**
 * The text; null where there is no such file. Throws `not_allowed` where others may write it, and `bad_input` where it
 * cannot be read, or is no text.
 */
export async function readOwnFile(file: string): Promise<string | null> {
  await refuseWriteFault(file);
  const read = await tryRead(file);
  if (!('fault' in read)) return read.text;
  const { line, column, what, remedy } = read.fault;
  throw new TriadError('bad_input', `${file}:${line}:${column}: ${what}: ${remedy}`);
}
