/** `triad config set`: changes one setting through the running program; it takes effect at once. */
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import type { SettingRow } from '#contract/view.ts';
import { PROJECT_CONFIG } from '#core/agents/places.ts';
import { normalizePath, partsOf } from '#core/settings/dotted-path.ts';
import { withClient } from '../../follow/link.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { NameArgument } from '../parameters.ts';

interface Options {
  project?: boolean;
}

export function addConfigSet(config: Command, io: Io): void {
  config
    .command('set')
    .description('change one setting; applies to what starts from now on')
    .addArgument(new NameArgument('setting', '<path>', 'as "triad config get" shows it'))
    .argument('[value]', 'new value; without it the default is restored')
    .option('--project', 'change a trusted file of the project, for an agent or a composition')
    .action((path: string, value: string | undefined, options: Options) =>
      withClient(io, (client) => setSetting(io, client, path, value, options)),
    );
}

async function setSetting(
  { folder, screen }: Io,
  client: Client,
  written: string,
  value: string | undefined,
  { project = false }: Options,
): Promise<void> {
  const path = normalizePath(written);
  refuseSecret(path);
  const row = (await client.request('settings.explain', { folder, path })).find((one) => one.path === path);
  if (row === undefined) throw new UsageError(`${path} is a group of settings: see "triad config get ${path}"`);
  const wanted = value === undefined ? null : parseValue(row, value);
  const now = await changeSetting(client, { folder, path, value: wanted, project });
  const { settingValue } = await import('../../render/setting-value.ts');
  const state = `${now.path} is ${now.value === null ? 'not set' : settingValue(now.value)}`;
  const [effective] = await client.request('settings.explain', { folder, path });
  const idle = effective?.others.find(({ origin }) => origin.from === 'user');
  screen.note(idle ? `${state} in your file, which does not hold here: ${idle.why}.` : `${state} from now on.`);
}

async function changeSetting(
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

/** Refuses a key: other programs can see a command line, and the shell stores it. */
function refuseSecret(path: string): void {
  const [root, name, ...key] = partsOf(path) ?? [];
  if (root !== 'providers' || key.at(-1) !== 'api_key') return;
  throw new UsageError(
    `A key is not set here: "triad config key ${name}" keeps it where no file shows it; providers.${name}.auth.api_key.env names a variable that has it`,
  );
}

/** Converts the typed text to the type of the setting. */
function parseValue({ kind, path, choices }: SettingRow, value: string): string | number | boolean {
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
