/** The settings of this installation: `config.toml`, checked strictly, changed key by key. */
import { mkdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, TomlError, type TomlTable as Table } from 'smol-toml';
import { z } from 'zod';
import * as limits from '#contract/limits.ts';
import { writeAtomically } from './atomic-file.ts';
import { TriadError } from './errors.ts';
import { DEFAULT_ALIASES } from './model/models.ts';
import { nearest } from './nearest.ts';
import { editKey, lineOf } from './settings-text.ts';

const model = z.string().min(1).max(200);
const count = (max: number) => z.int().min(1).max(max);

/** In the file's own words, so that a dotted path means the same in the file, on the command line and in code. */
const SettingsFile = z.strictObject({
  models: z
    .strictObject({
      /** An alias or an id of the provider. */
      default: model.default(limits.DEFAULT_MODEL),
      aliases: z
        .strictObject({
          sonnet: model.default(DEFAULT_ALIASES.sonnet),
          haiku: model.default(DEFAULT_ALIASES.haiku),
          opus: model.default(DEFAULT_ALIASES.opus),
        })
        .prefault({}),
    })
    .prefault({}),
  limits: z
    .strictObject({
      max_sub_agents: count(limits.MAX_SUB_AGENTS).default(limits.MAX_SUB_AGENTS),
      max_concurrent: count(limits.MAX_SUB_AGENTS).default(limits.DEFAULT_MAX_CONCURRENT),
      max_iterations: count(limits.MAX_ITERATIONS).default(limits.DEFAULT_MAX_ITERATIONS),
      inactivity_seconds: count(86_400).default(limits.INACTIVITY_MS / 1000),
      approval_seconds: count(86_400).default(limits.APPROVAL_TIMEOUT_MS / 1000),
    })
    .prefault({}),
  providers: z
    .strictObject({
      anthropic: z
        .strictObject({
          /** Concurrent model requests of sub-agents. */
          max_concurrent: count(100).default(limits.PROVIDER_CONCURRENCY['anthropic'] ?? 3),
          /** Null: the provider's own. */
          base_url: z
            .url({ protocol: /^https?$/, error: 'must be an http or https address' })
            .nullable()
            .default(null),
        })
        .prefault({}),
    })
    .prefault({}),
});
export type Settings = z.infer<typeof SettingsFile>;

export interface SettingsProblem {
  line: number;
  /** Dotted path; null where the file is no TOML. */
  key: string | null;
  message: string;
  suggestion: string | null;
}

export const settingsFile = (configFolder: string): string => join(configFolder, 'config.toml');

/** Every key with its default, by dotted path, in the order of the schema. */
export function settingPaths(): string[] {
  return leaves(SettingsFile.parse({}));
}

/** The value at a dotted path: of one key, or of a whole table. */
export function readSetting(settings: Settings, path: string): unknown {
  let value: unknown = settings;
  for (const part of path.split('.')) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, part)) throw unknownKey(path);
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** All that is wrong with the text of a settings file, or the settings. */
export function checkSettings(
  text: string,
): { ok: true; settings: Settings } | { ok: false; problems: SettingsProblem[] } {
  let raw: unknown;
  try {
    raw = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, 'is not valid TOML: ');
    return { ok: false, problems: [{ line: error.line, key: null, message, suggestion: null }] };
  }
  const result = SettingsFile.safeParse(raw);
  if (result.success) return { ok: true, settings: result.data };
  return { ok: false, problems: result.error.issues.flatMap((issue) => problemsOf(issue, text)) };
}

/** The defaults where there is no file; throws `bad_input` with file, line and key where it does not fit. */
export async function loadSettings(configFolder: string): Promise<Settings> {
  return checked(await readText(configFolder), settingsFile(configFolder));
}

/**
 * Sets one key, or with null removes it so that its default is back. Comments and order stay.
 * A text for a number is read as a number, as it comes from a command line. Callers save one at a time.
 */
export async function saveSetting(
  configFolder: string,
  path: string,
  value: string | number | null,
): Promise<Settings> {
  const file = settingsFile(configFolder);
  const text = await readText(configFolder);
  checked(text, file);
  if (!settingPaths().includes(path)) throw unknownKey(path);
  const keys = path.split('.');
  const wanted = withKey(parse(text), keys, value === null ? undefined : asTyped(path, value));
  const edited = editKey(text, keys, value === null ? null : JSON.stringify(asTyped(path, value)));
  const next = edited !== null && isSame(tryParse(edited), wanted) ? edited : stringify(wanted);
  const result = checkSettings(next);
  if (!result.ok) throw new TriadError('bad_input', `${path} ${result.problems[0]!.message}`);
  await mkdir(configFolder, { recursive: true, mode: 0o700 });
  // Where the file is a link, its target changes and the link stays.
  await writeAtomically(await realpath(file).catch(() => file), next, { mode: 0o600 });
  return result.settings;
}

function checked(text: string, file: string): Settings {
  const result = checkSettings(text);
  if (result.ok) return result.settings;
  const lines = result.problems.map(({ line, key, message, suggestion }) => {
    const hint = suggestion ? ` (did you mean ${suggestion}?)` : '';
    return `${file}:${line}: ${key ? `${key} ` : ''}${message}${hint}`;
  });
  throw new TriadError('bad_input', lines[0]!, { detail: lines.join('\n') });
}

async function readText(configFolder: string): Promise<string> {
  try {
    return await readFile(settingsFile(configFolder), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw new TriadError('bad_input', `${settingsFile(configFolder)} cannot be read`, {
      cause: error,
      detail: String(error),
    });
  }
}

function problemsOf(issue: z.core.$ZodIssue, text: string): SettingsProblem[] {
  const path = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys') {
    return [{ line: lineOf(text, path), key: path.join('.'), message: plain(issue), suggestion: null }];
  }
  return issue.keys.map((unknown) => {
    const key = [...path, unknown];
    return {
      line: lineOf(text, key),
      key: key.join('.'),
      message: 'is not a setting',
      suggestion: suggest(key.join('.')),
    };
  });
}

/** A sentence's end for the key before it. */
function plain(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  if (issue.code === 'too_small')
    return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
  if (issue.code === 'invalid_type')
    return `must be ${issue.expected === 'int' ? 'a whole number' : `a ${issue.expected}`}`;
  return issue.message;
}

function unknownKey(path: string): TriadError {
  const suggestion = suggest(path);
  return new TriadError(
    'bad_input',
    `${path} is not a setting${suggestion ? ` (did you mean ${suggestion}?)` : ''}`,
  );
}

/** The nearest whole path; for a key of the right name in the wrong table, the path that ends with it. */
function suggest(path: string): string | null {
  const all = settingPaths();
  const name = path.split('.').at(-1)!;
  return nearest(path, all) ?? all.find((known) => known.endsWith(`.${name}`)) ?? null;
}

function leaves(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) =>
    item !== null && typeof item === 'object' ? leaves(item, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

function asTyped(path: string, value: string | number): string | number {
  const isNumber = typeof readSetting(SettingsFile.parse({}), path) === 'number';
  return isNumber && typeof value === 'string' && /^-?\d+$/.test(value.trim()) ? Number(value) : value;
}

function tryParse(text: string): Table | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

/** The parser's tables have no prototype and copies have one: that is no difference. */
function isSame(a: Table | null, b: Table): boolean {
  return isDeepStrictEqual(structuredClone(a), structuredClone(b));
}

/** A copy with the key set, or removed; tables above it are made where they are missing. */
function withKey(
  table: Table,
  [first, ...rest]: readonly string[],
  value: string | number | undefined,
): Table {
  const copy: Table = { ...table };
  if (rest.length === 0) {
    if (value === undefined) delete copy[first!];
    else copy[first!] = value;
    return copy;
  }
  if (value === undefined && copy[first!] === undefined) return copy;
  copy[first!] = withKey((copy[first!] ?? {}) as Table, rest, value);
  return copy;
}
