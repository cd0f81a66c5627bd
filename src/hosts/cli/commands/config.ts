/** `triad config`: the settings by dotted path; changes go through the running program and take effect at once. */
import { readFile } from 'node:fs/promises';
import type { Client } from '#contract/rpc.ts';
import type { SettingRow } from '#contract/view.ts';
import { codeOf } from '#core/base/errors.ts';
import { folders } from '#core/settings/folders.ts';
import { nearest } from '#core/base/nearest.ts';
import { settingsFile } from '#core/settings/guarded-files.ts';
import { checkSettings, manyValues, sentenceOf } from '#core/settings/settings.ts';
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
  screen.note(`${path} is ${settingValue(now?.value ?? null)} from now on.`);
}

/** Reads the file itself: a settings file that does not fit keeps the program from starting. */
export async function validateSettings({ env, screen }: Io, options: { json?: boolean }): Promise<number> {
  const file = await fileOf(env);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  const result = checkSettings(text ?? '');
  const problems = result.ok ? [] : result.problems;
  if (options.json) screen.data(`${JSON.stringify({ file, ok: result.ok, problems }, null, 2)}\n`);
  else if (text === null) screen.note(`There is no ${file}: all settings have their defaults.`);
  else if (result.ok) screen.note(`${file} is valid.`);
  if (!options.json) {
    for (const problem of problems) screen.data(`${file}:${problem.line}: ${visible(sentenceOf(problem))}\n`);
  }
  return result.ok ? EXIT.ok : EXIT.failure;
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
