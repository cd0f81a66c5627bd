/** `triad backup`: makes a verified copy of the history. */
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { formatCount, incompleteText } from '#contract/missing-text.ts';
import { codeOf } from '#core/base/errors.ts';
import { shellWord } from '#core/base/text.ts';
import { canonical, type Folders, folders, ownFolders } from '#core/settings/folders.ts';
import type { Backup } from '#core/store/backups/backups.ts';
import type { Counts } from '#core/store/backups/copy.ts';
import { withLink } from '../follow/link.ts';
import { EXIT, UsageError } from '../terminal/failure.ts';
import type { Exit, Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';
import { json } from './parameters.ts';

interface Options {
  json?: boolean;
}

export function addBackup(program: Command, io: Io, exit: Exit): void {
  program
    .command('backup')
    .description('make a verified copy of the history and the sessions, also while the app runs')
    .argument('[dir]', 'new folder for the copy (default: one in backups/ of the data folder)')
    .addOption(json())
    .action(async (folder: string | undefined, options: Options) => exit(await backUp(io, folder, options)));
}

/** Makes the backup in `backups/` of the data folder, and removes older ones there; or in a folder of the person. */
async function backUp(io: Io, given: string | undefined, { json }: Options): Promise<number> {
  const { finishBegun } = await import('#core/host/ownership/make-backup.ts');
  const { isEmpty } = await import('#core/store/backups/backups.ts');
  const { screen, env, signal } = io;
  const { data, config } = await folders(env);
  const target = given === undefined ? null : await emptyPlace(resolve(io.folder, given), { config, data }, env);
  return withLink(io, async (link) => {
    const begun = await link.ask((client) => client.request('backup.begin', {}));
    const { made, gone } = await finishBegun(data, begun, { prunes: target === null, signal });
    const backup = target === null ? made : await moveBackup(made, target);
    const { folder, bytes, holds, missing } = backup;
    if (json) screen.data(`${JSON.stringify({ folder, bytes, ...holds, missing, removed: gone }, null, 2)}\n`);
    else {
      screen.data(`${visible(folder)}\n`);
      screen.note(`${megabytes(bytes)}, ${missing === null ? 'verified' : 'what can be read'}: ${countsText(holds)}.`);
      if (isEmpty(made)) screen.note('There is nothing in it, so no older backup was removed for it.');
      if (gone.length > 0) screen.note(`Older backups removed: ${gone.length} (settings: backups).`);
      screen.note(`Settings, agents and keys are not in it: they are files in ${visible(config)}.`);
    }
    if (missing === null) return EXIT.ok;
    screen.note(`triad: ${incompleteText('backup', missing)} ${await advice(dirname(dirname(made.folder)))}`);
    return EXIT.failure;
  });
}

/** Returns the advice after an incomplete backup, for which no older one was removed. */
async function advice(data: string): Promise<string> {
  const { bestBackup } = await import('#core/store/backups/backups.ts');
  const best = bestBackup(data);
  if (best === null || best.missing !== null) return 'There is no complete one.';
  return `The newest complete one was made at ${best.madeAt}; to put it back: triad restore ${visible(shellWord(best.folder))}`;
}

/** Throws for a target in the program's own folders: it could be copied or removed there. */
async function emptyPlace(folder: string, own: Folders, { TRIAD_STORE: store }: Io['env']): Promise<string> {
  const { backupsFolder } = await import('#core/store/backups/backups.ts');
  const { folderOf } = await import('#core/store/opening/folder.ts');
  const { isInside } = await import('#core/workspace/reach.ts');
  const place = await canonical(folder);
  const ours = (await ownFolders(own, store ? folderOf(store) : null)).folders;
  if (ours.some((one) => isInside(one, place)) && !isInside(await canonical(backupsFolder(own.data)), place))
    throw new UsageError(`${visible(folder)} is in a folder of Triad's own: name one outside of it, or none`);
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw new UsageError(`${visible(folder)} is not a folder`);
  });
  if (names.length > 0) throw new UsageError(`${visible(folder)} is not empty: name a new folder`);
  return folder;
}

/** Moves the backup. To another disk it is copied and compared before it gets its name. */
async function moveBackup(made: Backup, folder: string): Promise<Backup> {
  await mkdir(dirname(folder), { recursive: true });
  try {
    await rename(made.folder, folder);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    const { stamp } = await import('#core/store/backups/backups.ts');
    const { compareFiles } = await import('#core/store/backups/manifest.ts');
    const partial = `${folder}.${stamp()}.partial`;
    try {
      await cp(made.folder, partial, { recursive: true });
      await compareFiles(partial, made);
      await rename(partial, folder);
      await rm(made.folder, { recursive: true });
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
  }
  return { ...made, folder };
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

export function countsText(holds: Counts | null): string {
  if (holds === null) return 'it could not be counted';
  const { conversations, workflows, events } = holds;
  return `${formatCount(conversations, 'conversation')}, ${formatCount(workflows, 'workflow')}, ${formatCount(events, 'event')}`;
}
