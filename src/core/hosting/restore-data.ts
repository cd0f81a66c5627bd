/** Restores a backup into a data folder that nobody else uses: it is owned meanwhile. */
import { TriadError } from '../base/errors.ts';
import { restore, type Restored } from '../store/backups/restore.ts';
import { claimOwnership } from './ownership.ts';

/** Rejects with `conflict` while a program owns the folder, with `bad_input` for what is no backup or a damaged one. */
export async function restoreData(data: string, from: string, signal: AbortSignal): Promise<Restored> {
  const claim = await claimOwnership(data, { signal });
  if (claim.kind === 'found')
    throw new TriadError(
      'conflict',
      `Triad is running with this data folder (pid ${claim.owner.pid}): stop it, then restore again`,
    );
  try {
    return await restore(data, from);
  } finally {
    await claim.ownership.release();
  }
}
