/** `triad restore`: replaces the history by a backup, or by the archive. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { formatCount } from '#contract/missing-text.ts';
import { folders } from '#core/settings/folders.ts';
import { EXIT, UsageError } from '../terminal/failure.ts';
import type { Exit, Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';
import { countsText } from './backup.ts';
import { json } from './parameters.ts';

interface Options {
  from?: 'archive';
  json?: boolean;
}

export function addRestore(program: Command, io: Io, exit: Exit): void {
  program
    .command('restore')
    .description('restore a backup; the history that it replaces is set aside')
    .argument('[dir]', 'folder that "triad backup" printed')
    .addOption(new Option('--from <source>', 'rebuild the store instead of using a backup').choices(['archive']))
    .addOption(json())
    .action(async (folder: string | undefined, options: Options) => exit(await restoreBackup(io, folder, options)));
}

/** Restores a backup, or with `from` the archive of the data folder. */
async function restoreBackup(io: Io, given: string | undefined, { json, from: source }: Options): Promise<number> {
  const { screen, env } = io;
  if (env['TRIAD_STORE']) throw new UsageError('TRIAD_STORE is set: only the store in the data folder can be restored');
  if (source) {
    if (given !== undefined) throw new UsageError('--from archive needs no folder');
    return rebuildFromArchive(io, json ?? false);
  }
  if (given === undefined) throw new UsageError('Name the folder of a backup, or use --from archive');
  const from = resolve(io.folder, given);
  if (!existsSync(from)) throw new UsageError(`There is no folder ${visible(from)}`);
  const { restoreData } = await import('#core/host/ownership/restore-data.ts');
  const { data } = await folders(env);
  const { holds, missing, madeAt, aside } = await restoreData(data, from, io.signal);
  if (json) screen.data(`${JSON.stringify({ folder: from, madeAt, ...holds, missing, aside }, null, 2)}\n`);
  else {
    screen.note(`Restored${madeAt === null ? ' what can be read' : ` the backup of ${madeAt}`}: ${countsText(holds)}.`);
    if (missing !== null) screen.note(`What cannot be found or read of it: ${missing}.`);
    screen.note(`What was there before is in ${visible(aside)}`);
  }
  return EXIT.ok;
}

async function rebuildFromArchive({ screen, env, signal }: Io, json: boolean): Promise<number> {
  const { restoreDataFromArchive } = await import('#core/host/ownership/restore-data.ts');
  const { data } = await folders(env);
  const { conversations, events, incomplete, damage, aside } = await restoreDataFromArchive(
    data,
    () => undefined,
    signal,
  );
  if (json) screen.data(`${JSON.stringify({ conversations, events, incomplete, damage, aside }, null, 2)}\n`);
  else {
    screen.note(
      `Rebuilt from the archive: ${formatCount(conversations, 'conversation')}, ${formatCount(events, 'event')}.`,
    );
    for (const { conversationId, missing, isRowMissing } of incomplete)
      screen.note(`Missing in session ${conversationId}: ${lossText(missing, isRowMissing)}.`);
    for (const { file, member, bytes, isTorn } of damage)
      screen.note(
        `${isTorn ? 'Cut off' : 'Damaged'}: part ${member} of ${visible(file)} (${formatCount(bytes, 'byte')}). The rest was read.`,
      );
    if (existsSync(join(aside, 'store'))) screen.note(`The store that was there before is in ${visible(aside)}`);
  }
  return incomplete.length + damage.length === 0 ? EXIT.ok : EXIT.failure;
}

function lossText(missing: readonly { from: number; to: number }[], isRowMissing: boolean): string {
  const ranges = missing.map(({ from, to }) => (from === to ? `event ${from}` : `events ${from} to ${to}`));
  return [...ranges, ...(isRowMissing ? ['its title and folder'] : [])].join(', ');
}
