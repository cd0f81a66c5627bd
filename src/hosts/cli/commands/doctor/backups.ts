/** Checks when the store was last backed up, and whether it was recovered from damage. */
import { join } from 'node:path';
import { readDailyState } from '#core/host/ownership/daily-backups.ts';
import type { Folders } from '#core/settings/folders.ts';
import { loadSettings } from '#core/settings/settings.ts';
import { backupsOf } from '#core/store/backups/backups.ts';
import { readNotice } from '#core/store/recovery/store-notices.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Not for a store on a server. */
export async function checkBackups({ data, config }: Folders): Promise<Finding> {
  const isDaily = (await loadSettings(config).catch(() => null))?.backups.daily ?? true;
  const [newest] = backupsOf(data).filter(({ missing }) => missing === null);
  const last = newest === undefined ? 'there is no verified one' : `the last verified one was made at ${newest.madeAt}`;
  const fault = isDaily ? (readDailyState(data)?.fault ?? null) : null;
  if (fault !== null) return warning('backups', `${last}; the daily one failed: ${fault}`, 'run "triad backup"');
  return ok('backups', isDaily ? last : `${last}; backups.daily is off`);
}

/** Returns the notice about damage that no window has hidden. Call after the store was opened, which may recover it. */
export function checkNotice({ data }: Folders): Finding[] {
  const notice = readNotice(join(data, 'store'));
  if (notice === null) return [];
  const { at, message } = notice;
  return [warning('recovery', `${at}: ${message}`, 'hide the notice in the app when you have read it')];
}
