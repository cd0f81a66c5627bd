/** The settings of this installation: `config.toml`, checked strictly, changed key by key. */
import { mkdir, realpath } from 'node:fs/promises';
import { z } from 'zod';
import { ApprovalMode, McpServerName } from '#contract/agent.ts';
import * as limits from '#contract/limits.ts';
import type { SettingRow } from '#contract/view.ts';
import { McpEntry, type McpEntryInput, mostServers } from '#contract/mcp/mcp-entry.ts';
import { PathPatterns, RuleEntry } from './rule-entry.ts';
import { writeAtomically } from '../base/atomic-file.ts';
import { TriadError } from '../base/errors.ts';
import { DEFAULT_ALIASES, type ModelAliases, modelIdOf } from './model-aliases.ts';
import { nearest } from '../base/nearest.ts';
import { ApprovalSettings, AttentionSettings } from './attention-settings.ts';
import { DesktopSettings } from './desktop-settings.ts';
import { settingsFile } from './guarded-files.ts';
import { HistorySettings } from './history-settings.ts';
import { count, LimitSettings } from './limit-settings.ts';
import { ProviderSettings } from './provider-settings.ts';
import { RedactSettings } from './redact-settings.ts';
import { dotted, partsOf } from './dotted-path.ts';
import { editToml, rewriteToml } from './edit-toml.ts';
import { listPaths, manyAt, rowAt, rowsOf, WITHOUT_ROWS } from './setting-rows.ts';
import { TelemetrySettings } from './telemetry-settings.ts';
import { checkTable, checkToml, mustFit, readOwnFile, sentenceOf } from './toml-file.ts';
import { ContextSettings } from './context-settings.ts';
import { UpdateSettings } from './update-settings.ts';
import { SandboxSettings } from './sandbox-settings.ts';
import { WebSettings } from './web-settings.ts';

const model = z.string().min(1).max(200);
/** Where models are enabled by name, each must be one, and the default one of them. */
function checkEnabled(
  { default: usual, aliases, enabled }: { default: string; aliases: ModelAliases; enabled: string[] },
  context: z.RefinementCtx,
): void {
  const ids = enabled.map((name) => modelIdOf(name, aliases));
  const known = Object.keys(aliases).join(', ');
  for (const [index, id] of ids.entries())
    if (id === null)
      context.addIssue({
        code: 'custom',
        path: ['enabled', index],
        message: `is not a model: use ${known}, or the provider's id of a model`,
      });
  if (enabled.length > 0 && !ids.includes(modelIdOf(usual, aliases)))
    context.addIssue({
      code: 'custom',
      path: ['default'],
      message: `must be one of models.enabled (${enabled.join(', ')}), not ${usual}`,
    });
}

/** In the file's own words, so that a dotted path means the same in the file, on the command line and in code. */
const SettingsFile = z.strictObject({
  models: z
    .strictObject({
      default: model
        .default(limits.DEFAULT_MODEL)
        .describe('Model of agents that name none: an alias, or the id of a model.'),
      aliases: z
        .strictObject({
          sonnet: model.default(DEFAULT_ALIASES.sonnet).describe('The model that "sonnet" stands for.'),
          haiku: model.default(DEFAULT_ALIASES.haiku).describe('The model that "haiku" stands for.'),
          opus: model.default(DEFAULT_ALIASES.opus).describe('The model that "opus" stands for.'),
        })
        .prefault({}),
      enabled: z.array(model).max(200).default([]),
    })
    .superRefine(checkEnabled)
    .prefault({}),
  limits: LimitSettings,
  permissions: z
    .strictObject({
      mode: ApprovalMode.default('manual').describe(
        'What asks where no rule says anything: manual asks for every sub-agent and all that writes files, runs or reaches out; selective not for what is of low risk; auto only for what cannot be undone or is said not to be, and for files that run code or steer programs.',
      ),
      rules: z.array(RuleEntry).default([]),
      always_ask: PathPatterns.default([]),
      secret_files: PathPatterns.default([]),
    })
    .prefault({}),
  approvals: ApprovalSettings,
  providers: ProviderSettings,
  context: ContextSettings,
  web: WebSettings,
  sandbox: SandboxSettings,
  sessions: z
    .strictObject({
      project: z
        .boolean()
        .default(false)
        .describe(
          'Keep the Markdown files of sessions in .triad/sessions of their project, instead of the data folder.',
        ),
    })
    .prefault({}),
  history: HistorySettings,
  attention: AttentionSettings,
  desktop: DesktopSettings,
  mcp: z
    .strictObject({
      servers: z
        .record(McpServerName, McpEntry)
        .refine(...mostServers)
        .default({})
        .meta(WITHOUT_ROWS),
    })
    .prefault({}),
  backups: z
    .strictObject({
      keep: count(1000)
        .default(10)
        .describe('Backups that "triad backup" keeps in the data folder; the oldest go when a new one was verified.'),
      max_age_days: count(36_500)
        .nullable()
        .default(null)
        .describe('Days after which such a backup goes too, but for the newest. Not set: no limit.'),
      daily: z
        .boolean()
        .default(true)
        .describe('Makes a verified copy of the store once a day while no workflow runs, and keeps the last seven.'),
    })
    .prefault({}),
  updates: UpdateSettings,
  telemetry: TelemetrySettings,
  redact: RedactSettings,
});
export type Settings = z.infer<typeof SettingsFile>;

type Value = string | number | boolean;

/** Every key with all that a form needs, in the order of the schema. */
export function settingRows(settings: Settings): SettingRow[] {
  return rowsOf(SettingsFile, settings);
}

/** The dotted paths of what is no single value. */
export function settingLists(): string[] {
  return listPaths(SettingsFile);
}

/** One key, also of a table that nobody has named yet; null where the path names no single value. */
export function settingRow(settings: Settings, path: string): SettingRow | null {
  const parts = partsOf(path);
  return parts && rowAt(SettingsFile, settings, parts);
}

let paths: readonly string[] | null = null;

/** Every key by dotted path, in the order of the schema; made once, because each misspelt key asks for it. */
export function settingPaths(): string[] {
  paths ??= settingRows(SettingsFile.parse({})).map(({ path }) => path);
  return [...paths];
}

const WORDS = { isNot: 'is not a setting', suggest };

/** The settings of a file's text, or everything that is wrong with it. Never throws for a bad text. */
export const checkSettings = (text: string) => checkToml(text, SettingsFile, WORDS);

/** The same for what was parsed from the text. */
export const checkSettingsTable = (raw: unknown, text: string) => checkTable(raw, text, SettingsFile, WORDS);

/**
 * The defaults where there is no file; throws `bad_input` with file, line and key where it does not fit, and `not_allowed`
 * where others may write it.
 */
export async function loadSettings(configFolder: string): Promise<Settings> {
  const file = settingsFile(configFolder);
  return mustFit(checkSettings((await readOwnFile(file)) ?? ''), file);
}

/**
 * Sets one key, or with null removes it so that its default is back. Comments and order stay.
 * A text for a number or a boolean is read as one, because command lines send text. Throws `bad_input` for an unknown key, a value or
 * a file that does not fit. Not safe for concurrent calls.
 */
export async function saveSetting(configFolder: string, path: string, value: Value | null): Promise<Settings> {
  const file = settingsFile(configFolder);
  const text = (await readOwnFile(file)) ?? '';
  mustFit(checkSettings(text), file);
  const row = settingRow(SettingsFile.parse({}), path);
  const keys = partsOf(path);
  if (row === null || keys === null) throw noSetting(path, file);
  return save(configFolder, text, keys, value === null ? null : asTyped(row, value));
}

/**
 * Writes an MCP server, in place of one of the same name, or with null takes it out. Comments and all else stay. Throws
 * `bad_input` for an entry or a file that does not fit. Not safe for concurrent calls.
 */
export function saveMcpServer(configFolder: string, name: string, entry: McpEntryInput | null): Promise<Settings> {
  return saveTable(configFolder, ['mcp', 'servers', name], entry);
}

/** The same of a provider. */
export function saveProvider(
  configFolder: string,
  name: string,
  entry: Record<string, unknown> | null,
): Promise<Settings> {
  return saveTable(configFolder, ['providers', name], entry);
}

/** The same of the table that stands at a path. */
export async function saveTable(
  configFolder: string,
  keys: readonly string[],
  entry: object | null,
): Promise<Settings> {
  const file = settingsFile(configFolder);
  const text = (await readOwnFile(file)) ?? '';
  mustFit(checkSettings(text), file);
  // Through JSON: what is left out must not be there as undefined.
  return save(configFolder, text, keys, JSON.parse(JSON.stringify(entry)));
}

/** Throws `bad_input` where only a rewrite can say it and comments would be lost with that. */
async function save(configFolder: string, text: string, path: readonly string[], value: unknown): Promise<Settings> {
  const file = settingsFile(configFolder);
  const edit = { kind: 'set', path, value } as const;
  const next = editToml(text, edit) ?? (text.includes('#') ? null : rewriteToml(text, edit));
  if (next === null)
    throw new TriadError(
      'bad_input',
      `${file} cannot be changed here without the loss of its comments: change it there`,
    );
  const result = checkSettings(next);
  if (!result.ok) throw new TriadError('bad_input', sentenceOf(result.problems[0]!));
  await mkdir(configFolder, { recursive: true, mode: 0o700 });
  // Where the file is a link, its target changes and the link stays.
  await writeAtomically(await realpath(file).catch(() => file), next, { mode: 0o600 });
  return result.value;
}

/** What to do where a path leads to more than one value; null where it does not. `file`: the settings file. */
export function manyValues(path: string, file: string): string | null {
  const many = manyAt(SettingsFile, partsOf(path) ?? []);
  if (many?.kind === 'list') return `${many.path} is a list: it is written in ${file}`;
  return many === null ? null : `${path} is a group of settings: see "triad config get ${path}"`;
}

/** The error for a path that names no single value, with what was probably meant. */
export function noSetting(path: string, file: string): TriadError {
  const suggestion = suggest(path);
  const unknown = `${path} is not a setting${suggestion ? ` (did you mean ${suggestion}?)` : ': "triad config get" shows those that are'}`;
  return new TriadError('bad_input', manyValues(path, file) ?? unknown);
}

/** The nearest whole path, also of a table; for a key of the right name in the wrong table, the path that ends with it. */
function suggest(path: string): string | null {
  const ofRule = /^permissions\.rules\.\d+\.(.+)$/.exec(path)?.[1];
  if (ofRule !== undefined) return nearest(ofRule, Object.keys(RuleEntry.shape));
  const all = settingPaths();
  const tables = new Set(all.map((known) => dotted(known.split('.').slice(0, -1))));
  const name = path.split('.').at(-1)!;
  const found = all.find((known) => known.endsWith(`.${name}`));
  // What is missing from one provider is not to be written into the table of another.
  const named = /^providers\.([^.]+)\./.exec(path)?.[1];
  if (named !== undefined && name === 'api_key') return `providers.${named}.auth.api_key`;
  return (
    nearest(path, [...all, ...tables, ...listPaths(SettingsFile)]) ??
    (named === undefined ? found : found?.replace(/^providers\.(?:anthropic|openai)\./, () => `providers.${named}.`)) ??
    null
  );
}

/** A text as the number or boolean that its key wants; left as it is where it is none. */
function asTyped({ kind }: SettingRow, value: Value): Value {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (kind === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  const isNumber = kind === 'number' ? /^-?\d+(\.\d+)?$/ : /^-?\d+$/;
  return (kind === 'integer' || kind === 'number') && isNumber.test(text) ? Number(text) : value;
}
