/**
 * Puts a backup in the place of what is in a data folder, which is set aside. Once what is to be put there is complete,
 * a journal says so, and whoever owns the folder next finishes it: after a kill, the old is there or the new.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../../base/atomic-file.ts';
import { TriadError } from '../../base/errors.ts';
import { shellWord } from '../../base/text.ts';
import { makeArchiveFolder } from '../archive/archive-file.ts';
import { ARCHIVE } from '../archive/archive-folder.ts';
import { namingFullDisk } from '../disk-space.ts';
import { syncFolder, syncTree } from '../durable-files.ts';
import { createBlankJournal, getJournalFolder } from '../journal/journal.ts';
import { finishRecovery } from '../recovery/finish-recovery.ts';
import { readableText, stamp } from './backups.ts';
import { BESIDE, copyBeside, copyStore, Counts, type Look, lookInto } from './copy.ts';
import { compareFiles, isPlainStore, manifestOf, mendCurrent, unfit } from './manifest.ts';

const STAGING = 'restoring';
const JOURNAL = 'ready.json';
const VERSION = 'store.schema-version';
const PARTS = ['store', VERSION, 'journal', ARCHIVE, ...BESIDE] as const;

const Journal = z.object({ aside: z.string() });

export interface Restored {
  holds: Counts;
  /** What the store lacked that was copied, in words; null for a whole one. */
  missing: string | null;
  /** When the backup was made; null for a folder that is a store, but no backup. */
  madeAt: string | null;
  /** Where what was there before is now. */
  aside: string;
}

/**
 * `from`: a backup, or a store's own folder, of which what can be read is taken. Rejects with `bad_input` where it is
 * neither or damaged. Nobody else may use the data folder meanwhile.
 */
export function restore(data: string, from: string): Promise<Restored> {
  return replaceParts(data, (staging) => stage(from, staging));
}

/**
 * Replaces parts of a data folder by those that `stage` creates in a folder, and sets the replaced parts aside. Changes
 * nothing if it rejects.
 */
export function replaceParts<T extends object>(
  data: string,
  stage: (staging: string) => Promise<T>,
): Promise<T & { aside: string }> {
  return namingFullDisk(data, () => replaceStaged(data, stage));
}

async function replaceStaged<T extends object>(
  data: string,
  stage: (staging: string) => Promise<T>,
): Promise<T & { aside: string }> {
  await finishRestore(data);
  // Otherwise the next start would put a recovered store in the place of the restored one.
  await finishRecovery(join(data, 'store'));
  const staging = join(data, STAGING);
  try {
    const staged = await stage(staging);
    const aside = join(data, `set-aside-${stamp()}`);
    await syncTree(staging);
    await writeAtomically(join(staging, JOURNAL), JSON.stringify({ aside }), { mode: 0o600 });
    await syncFolder(staging);
    await syncFolder(data);
    await finishRestore(data);
    return { ...staged, aside };
  } catch (error) {
    if (!existsSync(join(staging, JOURNAL))) await rm(staging, { recursive: true, force: true });
    throw error;
  }
}

/** Finishes what a killed `restore` has begun, or takes it back where it was not complete. For the owner of the folder. */
export async function finishRestore(data: string): Promise<void> {
  const staging = join(data, STAGING);
  const text = await readFile(join(staging, JOURNAL), 'utf8').catch(() => null);
  if (text !== null) {
    const { aside } = Journal.parse(JSON.parse(text));
    await mkdir(aside, { recursive: true, mode: 0o700 });
    for (const part of PARTS) {
      if (!existsSync(join(staging, part))) continue;
      if (existsSync(join(data, part))) await rename(join(data, part), join(aside, part));
      await rename(join(staging, part), join(data, part));
    }
    await syncFolder(aside);
    await syncFolder(data);
  }
  await rm(staging, { recursive: true, force: true });
}

/** Copies and verifies: the backup is never written to, and the engine changes what it opens. */
async function stage(from: string, staging: string): Promise<Omit<Restored, 'aside'>> {
  const manifest = manifestOf(from);
  if (manifest === null && !(await isPlainStore(from)))
    throw new TriadError('bad_input', `${from} is no backup: name a folder that "triad backup" has made.`);
  if (manifest !== null) await compareFiles(from, manifest);
  await mkdir(staging, { mode: 0o700 });
  await copyStore(manifest === null ? from : join(from, 'store'), join(staging, 'store'));
  if (manifest !== null) await copyBeside(from, staging);
  if (manifest === null) await mendCurrent(join(staging, 'store'));
  else {
    await copyArchive(from, staging);
    // The journal of the present store has no records of a backup, and is set aside with that store.
    await createBlankJournal(getJournalFolder(join(staging, 'store')));
  }
  const look = await lookInto(join(staging, 'store'));
  if (look === null) throw new TriadError('conflict', 'Nothing can be restored in the desktop: use a terminal.');
  if (manifest === null && isLost(look)) throw unreadable(from, look);
  if (!look.ok) throw unfit(from, look.fault);
  if (look.version === null) throw unfit(from, 'nothing was ever stored in it');
  if (look.version > look.known) {
    const newer = `${from} was made by a newer Triad (schema version ${look.version}, this one knows ${look.known}): restore it with that one.`;
    throw new TriadError('bad_input', newer);
  }
  const holds = Counts.parse(look);
  const counted = manifest?.holds ?? holds;
  for (const what of ['conversations', 'workflows', 'events'] as const)
    if (counted[what] !== holds[what]) throw unfit(from, `it has ${holds[what]} of ${counted[what]} ${what}`);
  await writeFile(join(staging, VERSION), `${look.version}\n`);
  return { holds, missing: look.missing, madeAt: manifest?.madeAt ?? null };
}

/** Adds an empty archive to a backup without one: the present archive belongs to another store. */
async function copyArchive(from: string, staging: string): Promise<void> {
  const source = join(from, ARCHIVE);
  if (existsSync(source)) await cp(source, join(staging, ARCHIVE), { recursive: true });
  else await makeArchiveFolder(join(staging, ARCHIVE));
}

/** With no conversation that can be listed, nothing could be gone on with. */
const isLost = (look: Look): boolean =>
  !look.ok || look.version === null || (look.conversations === 0 && look.missing !== null);

/** Of a store's own folder nothing comes back: whoever asked for it learns what is left, without the engine's words. */
function unreadable(store: string, look: Look): TriadError {
  const detail = look.ok ? look.missing : look.fault;
  const message = `No conversation in the store in ${store} can be read${readableText(store)}. To begin with an empty one, move it away: mv ${shellWord(store)} ${shellWord(`${store}.damaged`)}`;
  return new TriadError('bad_input', message, { detail: detail ?? 'it has no schema version' });
}
