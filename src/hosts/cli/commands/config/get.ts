/** `triad config get`: prints one setting by its path, a group by the beginning of the path, or all. */
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { normalizePath } from '#core/settings/dotted-path.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { json, NameArgument } from '../parameters.ts';

interface Options {
  json?: boolean;
  showOrigin?: boolean;
}

export function addConfigGet(config: Command, io: Io): void {
  config
    .command('get')
    .description('print one setting, a group of settings, or all; "*" marks values that are not the default')
    .addArgument(
      new NameArgument(
        'setting',
        '[path]',
        'such as limits.max_sub_agents; also agents.NAME.model, compositions.NAME.control_flow, and so on',
      ),
    )
    .option('--show-origin', 'show where each value comes from: a file and line, the environment, or the default')
    .addOption(json())
    .action((path: string | undefined, options: Options) =>
      withClient(io, (client) => getSetting(io, client, path, options)),
    );
}

async function getSetting(
  { folder, screen }: Io,
  client: Client,
  written: string | undefined,
  { json = false, showOrigin = false }: Options,
): Promise<void> {
  const path = written === undefined ? undefined : normalizePath(written);
  const found = await client.request('settings.explain', { folder, path });
  const exact = found.find((row) => row.path === path);
  const rows = found.map(({ origin, others, ...row }) => (showOrigin ? { ...row, origin, others } : row));
  if (json) return screen.data(`${JSON.stringify(exact ? rows[0] : rows, null, 2)}\n`);
  if (exact && !showOrigin) {
    const { settingValue } = await import('../../render/setting-value.ts');
    return screen.data(`${settingValue(exact.value)}\n`);
  }
  const { originTable, settingTable } = await import('../../render/setting-table.ts');
  for (const line of (showOrigin ? originTable : settingTable)(found, screen.width)) screen.data(`${line}\n`);
  if (found.length === 0) screen.note(`No file says anything of ${path}.`);
}
