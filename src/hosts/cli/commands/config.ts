/** `triad config`: the settings by dotted path; changes go through the running program and take effect at once. */
import type { Client } from '#contract/rpc.ts';
import type { SettingRow } from '#contract/view.ts';
import { PROJECT_CONFIG } from '#core/agents/places.ts';
import { normalizePath, partsOf } from '#core/settings/dotted-path.ts';
import { settingValue } from '../render/setting-value.ts';
import { UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';

export interface GetOptions {
  json?: boolean;
  showOrigin?: boolean;
}

/** One value by its whole path, a group by the path's beginning, or all. */
export async function getSetting(
  { folder, screen }: Io,
  client: Client,
  written: string | undefined,
  { json = false, showOrigin = false }: GetOptions,
): Promise<void> {
  const path = written === undefined ? undefined : normalizePath(written);
  const found = await client.request('settings.explain', { folder, path });
  const exact = found.find((row) => row.path === path);
  const rows = found.map(({ origin, others, ...row }) => (showOrigin ? { ...row, origin, others } : row));
  if (json) return screen.data(`${JSON.stringify(exact ? rows[0] : rows, null, 2)}\n`);
  if (exact && !showOrigin) return screen.data(`${settingValue(exact.value)}\n`);
  const { originTable, settingTable } = await import('../render/setting-table.ts');
  for (const line of (showOrigin ? originTable : settingTable)(found, screen.width)) screen.data(`${line}\n`);
  if (found.length === 0) screen.note(`No file says anything of ${path}.`);
}

/** Without a value the default comes back. */
export async function setSetting(
  { folder, screen }: Io,
  client: Client,
  { path: written, value, project = false }: { path: string; value: string | undefined; project?: boolean },
): Promise<void> {
  const path = normalizePath(written);
  refuseSecret(path);
  const row = (await client.request('settings.explain', { folder, path })).find((one) => one.path === path);
  if (row === undefined) throw new UsageError(`${path} is a group of settings: see "triad config get ${path}"`);
  const wanted = value === undefined ? null : typed(row, value);
  const now = await changed(client, { folder, path, value: wanted, project });
  const said = `${now.path} is ${now.value === null ? 'not set' : settingValue(now.value)}`;
  const [held] = await client.request('settings.explain', { folder, path });
  const idle = held?.others.find(({ origin }) => origin.from === 'user');
  screen.note(idle ? `${said} in your file, which does not hold here: ${idle.why}.` : `${said} from now on.`);
}

async function changed(
  client: Client,
  { folder, path, value, project }: { folder: string; path: string; value: SettingRow['value']; project: boolean },
): Promise<SettingRow> {
  if (/^(agents|compositions)\./.test(path)) return client.request('agents.set', { folder, path, value, project });
  if (project)
    throw new UsageError(`--project is for agents and compositions: settings of a project stand in ${PROJECT_CONFIG}`);
  const rows = await client.request('settings.set', { path, value });
  const [now] = rows.filter((one) => one.path === path);
  return now ?? (await client.request('settings.explain', { folder, path }))[0]!;
}

/** What is typed in a command line is seen by every program, and kept by the shell. */
function refuseSecret(path: string): void {
  const [root, name, ...key] = partsOf(path) ?? [];
  if (root !== 'providers' || key.at(-1) !== 'api_key') return;
  throw new UsageError(
    `A key is not set here: "triad config key ${name}" keeps it where no file shows it; providers.${name}.auth.api_key.env names a variable that has it`,
  );
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
