/** Restores a data folder from a backup or from its archive, and owns the folder during the restore. */
import { TriadError } from '#core/base/errors.ts';
import { restore, type Restored } from '#core/store/backups/restore.ts';
import { type RestoredArchive, restoreArchive } from '#core/store/recovery/restore-archive.ts';
import type { RestoreReport } from '#core/store/recovery/restore-from-sources.ts';
import { claimOwnership } from './ownership.ts';

/** Rejects with `conflict` while a program owns the folder, with `bad_input` for what is no backup or a damaged one. */
export function restoreData(data: string, from: string, signal: AbortSignal): Promise<Restored> {
  return asOwner(data, signal, () => restore(data, from));
}

/** Rejects with `conflict` if a program owns the folder, and with `bad_input` if no conversation is archived. */
export function restoreDataFromArchive(
  data: string,
  onProgress: (report: Readonly<RestoreReport>) => void,
  signal: AbortSignal,
): Promise<RestoredArchive> {
  return asOwner(data, signal, () => restoreArchive(data, onProgress, signal));
}

async function asOwner<T>(data: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const claim = await claimOwnership(data, { signal });
  if (claim.kind === 'found')
    throw new TriadError(
      'conflict',
      `Triad is running with this data folder (pid ${claim.owner.pid}): stop it, then restore again`,
    );
  try {
    return await work();
  } finally {
    await claim.ownership.release();
  }
}
