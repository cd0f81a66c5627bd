/**
 * Puts a backup in the place of what is in a data folder, which is set aside. Once what is to be put there is complete,
 * a journal says so, and whoever owns the folder next finishes it: after a kill, the old is there or the new.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../../base/atomic-file.ts';
import { TriadError } from '../../base/errors.ts';
import { shellWord } from '../../base/text.ts';
import { readableText, stamp } from './backups.ts';
import { BESIDE, copyBeside, copyStore, Counts, type Look, lookInto } from './copy.ts';
import { WITNESS } from '../opening/log-witness.ts';
import { compareFiles, isPlainStore, manifestOf, mendCurrent, unfit } from './manifest.ts';

const STAGING = 'restoring';
const JOURNAL = 'ready.json';
const VERSION = 'store.schema-version';
const PARTS = ['store', VERSION, ...BESIDE] as const;

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
export async function restore(data: string, from: string): Promise<Restored> {
  await finishRestore(data);
  const staging = join(data, STAGING);
  try {
    const staged = await stage(from, staging);
    const aside = join(data, `set-aside-${stamp()}`);
    await writeAtomically(join(staging, JOURNAL), JSON.stringify({ aside }), { mode: 0o600 });
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
  // What is left of a damaged store is not held against what it was.
  if (manifest === null) {
    await rm(join(staging, 'store', WITNESS), { force: true });
    await mendCurrent(join(staging, 'store'));
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

/** With no conversation that can be listed, nothing could be gone on with. */
const isLost = (look: Look): boolean =>
  !look.ok || look.version === null || (look.conversations === 0 && look.missing !== null);

/** Of a store's own folder nothing comes back: whoever asked for it learns what is left, without the engine's words. */
function unreadable(store: string, look: Look): TriadError {
  const detail = look.ok ? look.missing : look.fault;
  const message = `No conversation in the store in ${store} can be read${readableText(store)}. To begin with an empty one, move it away: mv ${shellWord(store)} ${shellWord(`${store}.damaged`)}`;
  return new TriadError('bad_input', message, { detail: detail ?? 'it has no schema version' });
}
