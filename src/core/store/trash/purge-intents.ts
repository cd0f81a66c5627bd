/**
 * Conversations whose purge has started, in a file beside the journal. Until the journal is erased it has their text, so a
 * recovery leaves them out, and the next start completes the purge.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Id } from '#contract/ids.ts';
import { writeAtomically } from '../../base/atomic-file.ts';
import { syncFolder } from '../durable-files.ts';

const FILE = 'purges.json';

/** Returns the ids; none if the file is missing or cannot be read. */
export async function readPurgeIntents(journal: string): Promise<string[]> {
  try {
    return z.array(Id).parse(JSON.parse(await readFile(join(journal, FILE), 'utf8')));
  } catch {
    return [];
  }
}

/** Adds or removes an id on the disk. One call at a time. */
export async function setPurgeIntent(journal: string, id: string, isPurging: boolean): Promise<void> {
  const before = await readPurgeIntents(journal);
  if (before.includes(id) === isPurging) return;
  const ids = isPurging ? [...before, id] : before.filter((one) => one !== id);
  if (ids.length === 0) await rm(join(journal, FILE), { force: true });
  else await writeAtomically(join(journal, FILE), JSON.stringify(ids), { mode: 0o600 });
  await syncFolder(journal);
}
