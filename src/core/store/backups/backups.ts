/** The backups of a data folder: how they are named, made whole, found and cleared away. */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { countsOf } from '#contract/missing-text.ts';
import { TriadError } from '../../base/errors.ts';
import { shellWord } from '../../base/text.ts';
import { syncFolder, syncTree } from '../durable-files.ts';
import { beganAt, isArchivedBeside, namesIn, sessionsBeside } from './began.ts';
import { Counts, lookInto } from './copy.ts';
import { type Manifest, manifestOf, writeManifest } from './manifest.ts';

/** Made before an upgrade, at a request, or once a day. */
export type Kind = 'upgrade' | 'backup' | 'daily';

const PARTIAL = '.partial';
/** A part of a backup that nobody has touched for so long, in milliseconds, is left over from a program that died. */
const LEFT_OVER_MS = 3_600_000;

/** Where the backups of the store in this data folder lie. */
export const backupsFolder = (data: string): string => join(data, 'backups');

export interface Backup extends Manifest {
  folder: string;
}

/** A name that no other one has, whatever the clock says. */
export function stamp(): string {
  return `${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}-${randomBytes(4).toString('hex')}`;
}

/** Makes the folder for a new backup under a name by which nobody takes it for one. */
export async function beginBackup(data: string, kind: Kind): Promise<string> {
  const partial = join(backupsFolder(data), `${kind}-${stamp()}${PARTIAL}`);
  await mkdir(partial, { recursive: true, mode: 0o700 });
  return partial;
}

export const finishedName = (partial: string): string => partial.slice(0, -PARTIAL.length);

/**
 * Looks into the copy that lies in `partial/store`, writes the manifest, which also says what is missing, and gives the
 * backup its name. Rejects with `store_failed` if the copy cannot be opened. `schema`: its version, where nobody can look.
 */
export async function finishBackup(partial: string, schema: number): Promise<Backup> {
  const look = await lookInto(join(partial, 'store'));
  if (look?.ok === false)
    throw new TriadError('store_failed', `The copy of the store cannot be read: ${look.fault}`, { detail: look.fault });
  const manifest = await writeManifest(partial, {
    schema: look?.version ?? schema,
    holds: look && Counts.parse(look),
    // What is backed up has a schema.
    missing: look?.missing ?? (look?.version === null ? countsOf([{ kind: 'rows', count: 1 }]) : null),
  });
  await syncTree(partial);
  const folder = finishedName(partial);
  await rename(partial, folder);
  await syncFolder(dirname(folder));
  return { folder, ...manifest };
}

/** The finished backups of a data folder, newest first. */
export function backupsOf(data: string, kind?: Kind): Backup[] {
  const parent = backupsFolder(data);
  return namesIn(parent)
    .filter((name) => !name.endsWith(PARTIAL) && (kind === undefined || name.startsWith(`${kind}-`)))
    .flatMap((name) => {
      const manifest = manifestOf(join(parent, name));
      return manifest === null ? [] : [{ folder: join(parent, name), ...manifest }];
    })
    .sort((a, b) => (a.madeAt < b.madeAt ? 1 : -1));
}

export const isEmpty = ({ holds }: Backup) => holds !== null && Object.values(holds).every((count) => count === 0);

/** The newest, or the newest before an instant, from which everything comes back: neither incomplete nor empty, unless all are. */
export function bestBackup(data: string, before?: string): Backup | null {
  const all = backupsOf(data).filter(({ madeAt }) => before === undefined || madeAt < before);
  const whole = all.filter(({ missing }) => missing === null);
  return whole.find((backup) => !isEmpty(backup)) ?? all.find((backup) => !isEmpty(backup)) ?? all[0] ?? null;
}

/**
 * Removes the backups of one kind beyond a number and an age in days, never the one that was made last; and what is
 * left of those that were never finished. Returns the folders of the backups that are gone. One in which something is
 * missing neither removes others nor counts among them; nor does an empty one remove any that holds something, or one
 * of a store that began in the place of another any that is older than it.
 */
export async function prune(
  data: string,
  made: Backup,
  kind: Kind,
  { keep, days }: { keep: number; days: number | null },
): Promise<string[]> {
  const oldest = days === null ? '' : new Date(Date.now() - days * 86_400_000).toISOString();
  const began = await beganAt(join(made.folder, 'store'));
  const others = backupsOf(data, kind).filter(({ folder, missing }) => folder !== made.folder && missing === null);
  const mayGo = (backup: Backup): boolean =>
    made.missing === null && !(isEmpty(made) && !isEmpty(backup)) && (began === null || backup.madeAt > began);
  const gone = others
    .filter((backup, index) => (index >= keep - 1 || backup.madeAt < oldest) && mayGo(backup))
    .map(({ folder }) => folder);
  for (const folder of gone) await removeBackup(folder);
  await removeLeftOvers(data, kind);
  return gone;
}

/** First its name, so that a removal that is cut off leaves nothing that looks whole. */
async function removeBackup(folder: string): Promise<void> {
  const partial = `${folder}${PARTIAL}`;
  await rename(folder, partial);
  await rm(partial, { recursive: true, force: true });
}

/** `all`: also young ones, where nobody else can be making one. */
export async function removeLeftOvers(data: string, kind: Kind, all = false): Promise<void> {
  const parent = backupsFolder(data);
  for (const name of namesIn(parent)) {
    if (!name.startsWith(`${kind}-`) || !name.endsWith(PARTIAL)) continue;
    const age = Date.now() - (await stat(join(parent, name))).mtimeMs;
    if (all || age > LEFT_OVER_MS) await rm(join(parent, name), { recursive: true, force: true });
  }
}

/** The best backup and the command that restores it, as a clause; null if there is none. */
export function describeBackup(store: string, before?: string): string | null {
  const best = bestBackup(dirname(store), before);
  if (best === null) return null;
  const lacking = best.missing === null ? '' : ` (it lacks ${best.missing})`;
  return `its newest backup is of ${best.madeAt}${lacking}; to put it back: triad restore ${shellWord(best.folder)}`;
}

/** How to rebuild a store from the archive beside it, as a clause before others; empty where nothing is archived. */
function archiveText(store: string, before?: string): string {
  return isArchivedBeside(store, before) ? 'to rebuild it from its archive: triad restore --from archive; ' : '';
}

/** Where the sessions can still be read, as a clause that goes on; empty where there are none. */
export function readableText(store: string, before?: string): string {
  const sessions = sessionsBeside(store, before);
  return sessions === null ? '' : `; its sessions can be read as Markdown in ${sessions}`;
}

/** Of a store that is gone, so that another begins: how its history comes back; null where nothing of it lies there. */
export function historyText(store: string, before?: string): string | null {
  const [way, archived] = [describeBackup(store, before), archiveText(store, before)];
  if (way === null && archived === '' && sessionsBeside(store, before) === null) return null;
  return `${archived}${way ?? `there is no backup of it${readableText(store, before)}`}`;
}
