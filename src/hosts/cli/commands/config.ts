/** `triad config`: the settings by dotted path; changes go through the running program and take effect at once. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '#contract/rpc.ts';
import type { SettingRow } from '#contract/view.ts';
import { PROJECT_CONFIG } from '#core/agents/places.ts';
import { Trust } from '#core/agents/trust.ts';
import { parseRules } from '#core/approvals/rule-files.ts';
import { codeOf } from '#core/base/errors.ts';
import { sha256 } from '#core/base/hash.ts';
import { folders } from '#core/settings/folders.ts';
import { isMissing, readRegularFile } from '#core/base/regular-file.ts';
import { idleLimits } from '#core/settings/project-config.ts';
import { lineFinder } from '#core/settings/settings-text.ts';
import { nearest } from '#core/base/nearest.ts';
import { pricesFile, settingsFile } from '#core/settings/guarded-files.ts';
import { checkPrices } from '#core/model/prices.ts';
import { checkSettings, manyValues, type Settings } from '#core/settings/settings.ts';
import { sentenceOf } from '#core/settings/toml-file.ts';
import { settingValue } from '../render/setting-value.ts';
import { EXIT, UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';

/** One value by its whole path, a group by the path's beginning, or all. */
export async function getSetting(
  { env, screen }: Io,
  client: Client,
  path: string | undefined,
  options: { json?: boolean },
): Promise<void> {
  const rows = await client.request('settings.list', {});
  const exact = rows.find((row) => row.path === path);
  if (exact !== undefined) {
    return screen.data(`${options.json ? JSON.stringify(exact, null, 2) : settingValue(exact.value)}\n`);
  }
  const found = rows.filter((row) => path === undefined || row.path.startsWith(`${path}.`));
  if (path !== undefined && found.length === 0) throw noValue(path, rows, await fileOf(env));
  if (options.json) return screen.data(`${JSON.stringify(found, null, 2)}\n`);
  const { settingTable } = await import('../render/setting-table.ts');
  for (const line of settingTable(found, screen.width)) screen.data(`${line}\n`);
}

/** Without a value the default comes back. */
export async function setSetting(
  { env, screen }: Io,
  client: Client,
  path: string,
  value: string | undefined,
): Promise<void> {
  const before = await client.request('settings.list', {});
  const row = before.find((one) => one.path === path);
  if (row === undefined) throw noValue(path, before, await fileOf(env));
  const wanted = value === undefined ? null : typed(row, value);
  const now = (await client.request('settings.set', { path, value: wanted })).find((one) => one.path === path);
  const current = now?.value ?? null;
  screen.note(`${path} is ${current === null ? 'not set' : settingValue(current)} from now on.`);
}

/** Every model's price and the list that says it; then what is in use without one. */
export async function showPrices({ screen }: Io, client: Client, options: { json?: boolean }): Promise<void> {
  const prices = await client.request('prices.list', {});
  if (options.json) return screen.data(`${JSON.stringify(prices, null, 2)}\n`);
  const { priceTable } = await import('../render/price-table.ts');
  for (const line of priceTable(prices, screen.width)) screen.data(`${line}\n`);
  if (prices.unpriced.length > 0)
    screen.note(
      `Limits on cost are not checked for models with an unknown price (${visible(prices.unpriced.join(', '))}): list them in ${visible(prices.file)}.`,
    );
}

/**
 * Reads the files themselves, because one of the person's that does not fit keeps the program from starting; and where
 * there is one the project's.
 */
export async function validateSettings({ env, folder, screen }: Io, options: { json?: boolean }): Promise<number> {
  const { config, data } = await folders(env);
  const file = settingsFile(config);
  const [text, prices] = await Promise.all([file, pricesFile(config)].map(textOf));
  const result = checkSettings(text ?? '');
  const listed = prices == null ? null : checkPrices(prices);
  const problems = [
    ...(result.ok ? [] : result.problems.map((problem) => ({ file, ...problem }))),
    ...(listed === null || listed.ok ? [] : listed.problems.map((one) => ({ file: pricesFile(config), ...one }))),
  ];
  const isOk = problems.length === 0;
  const project = await checkProject(folder, data, result.ok ? result.value.limits : null);
  if (options.json) screen.data(`${JSON.stringify({ file, ok: isOk, problems, project }, null, 2)}\n`);
  else {
    if (text === null) screen.note(`There is no ${file}: all settings have their defaults.`);
    else if (result.ok) screen.note(`${file} is valid.`);
    if (listed?.ok) screen.note(`${pricesFile(config)} is valid.`);
    for (const problem of problems) screen.data(`${problem.file}:${problem.line}: ${visible(sentenceOf(problem))}\n`);
    if (project) showProject(screen, project);
  }
  return isOk && (project?.ok ?? true) ? EXIT.ok : EXIT.failure;
}

/** Null where there is no such file. */
async function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
}

/** What is wrong with the project's file, and which of its limits change nothing; null where there is none. */
async function checkProject(folder: string, data: string, limits: Settings['limits'] | null) {
  const file = join(folder, PROJECT_CONFIG);
  const text = await readRegularFile(file).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (text === null) return null;
  const { faults, project } = parseRules(text, file, 'project');
  const problems = faults.map(({ line, message }) => ({ line, message }));
  const trusted = await new Trust(data).trusts(folder, PROJECT_CONFIG, sha256(text));
  const lineOf = lineFinder(text);
  const idle = (limits === null ? [] : idleLimits(limits, project)).map((key) => {
    return { line: lineOf(key.split('.')), message: `${key} changes nothing: yours is not higher` };
  });
  return { file, ok: problems.length === 0, trusted, problems, warnings: idle };
}

function showProject(screen: Io['screen'], project: NonNullable<Awaited<ReturnType<typeof checkProject>>>): void {
  const { file, ok, trusted, problems, warnings } = project;
  for (const { line, message } of problems) screen.data(`${visible(file)}:${line}: ${visible(message)}\n`);
  for (const { line, message } of warnings) screen.data(`${visible(file)}:${line}: warning: ${visible(message)}\n`);
  if (!ok) return;
  const effect = trusted ? '' : ', and not trusted: only what its rules deny or ask about counts (see "triad trust")';
  screen.note(`${visible(file)} is valid${effect}.`);
}

/** What is typed is text; the setting says what it means. */
function typed({ kind, path, choices }: SettingRow, value: string): string | number | boolean {
  if (choices !== null && !choices.includes(value))
    throw new UsageError(`${path} must be ${choices.join(' or ')}, not "${value}"`);
  if (kind === 'integer' || kind === 'number') {
    if (!/^-?\d+(\.\d+)?$/.test(value)) throw new UsageError(`${path} is a number, not "${value}"`);
    return Number(value);
  }
  if (kind !== 'boolean') return value;
  if (value !== 'true' && value !== 'false') throw new UsageError(`${path} is true or false, not "${value}"`);
  return value === 'true';
}

const fileOf = async (env: Io['env']): Promise<string> => settingsFile((await folders(env)).config);

function noValue(path: string, rows: readonly SettingRow[], file: string): UsageError {
  const many = manyValues(path, file);
  if (many !== null) return new UsageError(many);
  const near = nearest(
    path,
    rows.map((row) => row.path),
  );
  return new UsageError(
    `${path} is not a setting${near === null ? '' : ` (did you mean ${near}?)`}: see "triad config get"`,
  );
}
