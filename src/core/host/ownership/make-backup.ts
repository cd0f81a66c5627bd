/** A backup of what a runtime holds: begun by whoever owns the store, verified and named by this process. */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Client, Output } from '#contract/rpc.ts';
import { type Backup, finishBackup, prune } from '#core/store/backups/backups.ts';
import { copyBeside } from '#core/store/backups/copy.ts';

/** In the folder of backups of the data folder `data`, where older ones then go as the settings say. */
export async function makeBackup(client: Pick<Client, 'request'>, data: string, signal: AbortSignal): Promise<Backup> {
  const begun = await client.request('backup.begin', {});
  return (await finishBegun(data, begun, { prunes: true, signal })).made;
}

/** `prunes`: older ones go. Leaves no part of it where it fails. */
export async function finishBegun(
  data: string,
  { partial, keep, maxAgeDays: days }: Output<'backup.begin'>,
  { prunes, signal }: { prunes: boolean; signal: AbortSignal },
): Promise<{ made: Backup; gone: string[] }> {
  try {
    signal.throwIfAborted();
    await copyBeside(data, partial);
    const made = await finishBackup(partial, 0);
    const gone = prunes ? await prune(dirname(dirname(made.folder)), made, 'backup', { keep, days }) : [];
    return { made, gone };
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
