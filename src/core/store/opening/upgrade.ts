/** The backup that is made before a store's schema changes, while nothing has it open: one for each upgrade. */
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { TriadError } from '../../base/errors.ts';
import {
  type Backup,
  backupsFolder,
  backupsOf,
  beginBackup,
  finishBackup,
  finishedName,
  prune,
  removeLeftOvers,
} from '../backups/backups.ts';
import { copyStore } from '../backups/copy.ts';
import { StoreDamaged } from '../faults.ts';

/** Number of such backups kept. */
const KEEP = 2;
/** In the store's folder while it is upgraded: the name of the backup that was made for it. */
const MARK = 'UPGRADING';

/**
 * Makes a backup unless there is one for this upgrade, which an earlier start began: a second one would be of a store
 * that is half upgraded. Rejects with `store_unwritable` or `store_failed`, and then leaves no part of it.
 */
export async function backUp(folder: string, version: number): Promise<void> {
  if ((await markedBackup(folder))?.schema === version) return;
  await removeLeftOvers(dirname(folder), 'upgrade', true);
  const partial = await beginBackup(dirname(folder), 'upgrade').catch((error: unknown) => {
    throw uncopied(folder, error);
  });
  try {
    await copyStore(folder, join(partial, 'store'));
    // Before the backup has its name: from then on it is the one of this upgrade.
    await writeAtomically(join(folder, MARK), basename(finishedName(partial)));
    await finishBackup(partial, version);
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    if (!(error instanceof TriadError)) throw uncopied(folder, error);
    throw error.code === 'store_failed' ? new StoreDamaged(folder, error.detail ?? error.message, error) : error;
  }
}

/** To be called when the new version is recorded: then older backups may go. */
export async function endUpgrade(folder: string): Promise<void> {
  const made = await markedBackup(folder);
  if (made) await prune(dirname(folder), made, 'upgrade', { keep: KEEP, days: null });
  await rm(join(folder, MARK), { force: true });
}

async function markedBackup(folder: string): Promise<Backup | null> {
  const name = await readFile(join(folder, MARK), 'utf8').catch(() => null);
  const path = name && join(backupsFolder(dirname(folder)), name);
  return backupsOf(dirname(folder), 'upgrade').find((backup) => backup.folder === path) ?? null;
}

function uncopied(folder: string, cause: unknown): TriadError {
  const message = `The store in ${folder} could not be copied before its upgrade: check the disk and the rights of the folder above it.`;
  return new TriadError('store_unwritable', message, { cause, detail: String(cause) });
}
