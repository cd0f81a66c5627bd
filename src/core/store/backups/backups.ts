/** The backups of a data folder: how they are named, made whole, found and cleared away. */
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TriadError } from '../../base/errors.ts';
import { shellWord } from '../../base/text.ts';
import { Counts, lookInto } from './copy.ts';
import { type Manifest, manifestOf, writeManifest } from './manifest.ts';

/** Made before an upgrade, or because somebody asked for it. */
export type Kind = 'upgrade' | 'backup';

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
 * Looks into the copy that lies in `partial/store`, writes the manifest and gives the backup its name. Rejects with
 * `store_failed` if the copy cannot be read. `schema`: its version, where nobody can look.
 */
export async function finishBackup(partial: string, schema: number): Promise<Backup> {
  const look = await lookInto(join(partial, 'store'));
  if (look?.ok === false)
    throw new TriadError('store_failed', `The copy of the store cannot be read: ${look.fault}`, { detail: look.fault });
  const manifest = await writeManifest(partial, { schema: look?.version ?? schema, holds: look && Counts.parse(look) });
  const folder = finishedName(partial);
  await rename(partial, folder);
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

/**
 * Removes the backups of one kind beyond a number and an age in days, never the one that was made last; and what is
 * left of those that were never finished. Returns the folders of the backups that are gone.
 */
export async function prune(
  data: string,
  made: Backup,
  kind: Kind,
  { keep, days }: { keep: number; days: number | null },
): Promise<string[]> {
  const oldest = days === null ? '' : new Date(Date.now() - days * 86_400_000).toISOString();
  const others = backupsOf(data, kind).filter(({ folder }) => folder !== made.folder);
  const gone = others.filter(({ madeAt }, index) => index >= keep - 1 || madeAt < oldest).map(({ folder }) => folder);
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

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * The `store_failed` error of a store whose files are not what the engine wrote: names the command that puts back the
 * newest backup, or says that there is none.
 */
export function damaged(store: string, detail: string, cause?: unknown): TriadError {
  const [newest] = backupsOf(dirname(store));
  const way = newest
    ? `its newest backup is of ${newest.madeAt}; to put it back: triad restore ${shellWord(newest.folder)}`
    : `there is no backup of it; to go on with what can be read of it: triad restore ${shellWord(store)}`;
  return new TriadError('store_failed', `The store in ${store} is damaged: ${way}`, { detail, cause });
}
