/** `triad backup` and `triad restore`: verified copies of what happened, and the way back. */
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { incompleteText } from '#contract/missing-text.ts';
import { codeOf } from '#core/base/errors.ts';
import { shellWord } from '#core/base/text.ts';
import { finishBegun } from '#core/hosting/make-backup.ts';
import { restoreData } from '#core/hosting/restore-data.ts';
import { canonical, type Folders, folders, ownFolders } from '#core/settings/folders.ts';
import { isInside } from '#core/workspace/reach.ts';
import { type Backup, backupsFolder, bestBackup, isEmpty, stamp } from '#core/store/backups/backups.ts';
import type { Counts } from '#core/store/backups/copy.ts';
import { folderOf } from '#core/store/opening/folder.ts';
import { compareFiles } from '#core/store/backups/manifest.ts';
import { openLink } from '../follow/link.ts';
import { EXIT, UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';

interface Options {
  json?: boolean;
}

/** In the data folder's own `backups/`, where older ones then go, or in a folder of the person's, which is all theirs. */
export async function backUp(io: Io, given: string | undefined, { json }: Options): Promise<number> {
  const { screen, env, signal } = io;
  const { data, config } = await folders(env);
  const target = given === undefined ? null : await emptyPlace(resolve(io.folder, given), { config, data }, env);
  const link = await openLink(io, false);
  try {
    const begun = await link.ask((client) => client.request('backup.begin', {}));
    const { made, gone } = await finishBegun(data, begun, { prunes: target === null, signal });
    const backup = target === null ? made : await moved(made, target);
    const { folder, bytes, holds, missing } = backup;
    if (json) screen.data(`${JSON.stringify({ folder, bytes, ...holds, missing, removed: gone }, null, 2)}\n`);
    else {
      screen.data(`${visible(folder)}\n`);
      screen.note(`${megabytes(bytes)}, ${missing === null ? 'verified' : 'what can be read'}: ${words(holds)}.`);
      if (isEmpty(made)) screen.note('There is nothing in it, so no older backup was removed for it.');
      if (gone.length > 0) screen.note(`Older backups removed: ${gone.length} (settings: backups).`);
      screen.note(`Settings, agents and keys are not in it: they are files in ${visible(config)}.`);
    }
    if (missing === null) return EXIT.ok;
    screen.note(`triad: ${incompleteText('backup', missing)} ${advice(dirname(dirname(made.folder)))}`);
    return EXIT.failure;
  } finally {
    await link.close();
  }
}

export async function restoreBackup(io: Io, given: string, { json }: Options): Promise<number> {
  const { screen, env } = io;
  if (env['TRIAD_STORE']) throw new UsageError('TRIAD_STORE is set: only the store in the data folder can be restored');
  const from = resolve(io.folder, given);
  if (!existsSync(from)) throw new UsageError(`There is no folder ${visible(from)}`);
  const { data } = await folders(env);
  const { holds, missing, madeAt, aside } = await restoreData(data, from, io.signal);
  if (json) screen.data(`${JSON.stringify({ folder: from, madeAt, ...holds, missing, aside }, null, 2)}\n`);
  else {
    screen.note(`Restored${madeAt === null ? ' what can be read' : ` the backup of ${madeAt}`}: ${words(holds)}.`);
    if (missing !== null) screen.note(`What cannot be found or read of it: ${missing}.`);
    screen.note(`What was there before is in ${visible(aside)}`);
  }
  return EXIT.ok;
}

/** No older one was removed for it. */
function advice(data: string): string {
  const best = bestBackup(data);
  if (best === null || best.missing !== null) return 'There is no complete one.';
  return `The newest complete one was made at ${best.madeAt}; to put it back: triad restore ${visible(shellWord(best.folder))}`;
}

/** Nothing of a person's lies in the program's own folders: there it would be in the way, or copied, or removed. */
async function emptyPlace(folder: string, own: Folders, { TRIAD_STORE: store }: Io['env']): Promise<string> {
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

/** To another disk it is copied, compared and then given its name. */
async function moved(made: Backup, folder: string): Promise<Backup> {
  await mkdir(dirname(folder), { recursive: true });
  try {
    await rename(made.folder, folder);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
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

function words(holds: Counts | null): string {
  if (holds === null) return 'it could not be counted';
  const some = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
  const { conversations, workflows, events } = holds;
  return `${some(conversations, 'conversation')}, ${some(workflows, 'workflow')}, ${some(events, 'event')}`;
}
