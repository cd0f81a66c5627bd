/** Gives a recovered store the name of the damaged one, before the store is opened. */
import { existsSync, lstatSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../base/errors.ts';
import { syncFolder } from '../durable-files.ts';
import { getJournalFolder } from '../journal/journal.ts';

/** File in a recovered store: its history is complete, and it takes the place of the damaged one at the next start. */
export const READY = 'RECOVERED';

/** Renames the newest complete recovered store and deletes incomplete ones. A start after a kill repeats this. */
export async function finishRecovery(folder: string): Promise<void> {
  const parent = dirname(folder);
  const prefix = `${basename(folder)}.recovered-`;
  const names = await readdir(parent).catch((): string[] => []);
  const recovered = names.filter((name) => name.startsWith(prefix) && !name.includes('.', prefix.length)).sort();
  const ready = recovered.filter((name) => existsSync(join(parent, name, READY)));
  const newest = ready.at(-1);
  if (newest !== undefined) await replaceDamaged(folder, join(parent, newest));
  const others = names.filter((name) => name.startsWith(prefix) && name !== newest && !ready.includes(name));
  for (const name of others) await rm(join(parent, name), { recursive: true, force: true });
  // An older recovered store was damaged later.
  for (const name of ready.slice(0, -1))
    await renameOnce(join(parent, name), `${folder}.damaged-${name.slice(prefix.length)}`);
}

/** Two starts may run this at the same time: a step that the other one has done is skipped. */
async function replaceDamaged(folder: string, recovered: string): Promise<void> {
  const suffix = `.damaged-${recovered.slice(folder.length + '.recovered-'.length)}`;
  await moveAside(folder, folder + suffix);
  const [old, own] = [getJournalFolder(folder), getJournalFolder(recovered)];
  if (existsSync(own) && old !== join(folder, 'journal')) {
    await moveAside(old, old + suffix);
    await renameOnce(own, old);
  }
  await renameOnce(`${recovered}.schema-version`, `${folder}.schema-version`);
  await renameOnce(recovered, folder);
  // An incomplete recovered store is deleted: the file must not disappear from the disk before the old name.
  await syncFolder(dirname(folder));
  await rm(join(folder, READY), { force: true });
}

/** Renames a folder, once: if `aside` exists, another start has renamed it, and what is in its place now is new. */
async function moveAside(folder: string, aside: string): Promise<void> {
  if (existsSync(aside)) return;
  // Also a link whose target is gone: nothing could be renamed to its name.
  if (lstatSync(folder, { throwIfNoEntry: false })) return renameOnce(folder, aside);
  await mkdir(aside, { mode: 0o700, recursive: true });
  // A folder can be renamed over an empty one.
  await writeFile(join(aside, 'MISSING'), '', { mode: 0o600 });
}

/** Codes of a rename that another process has done. */
const RENAMED = new Set(['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

async function renameOnce(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: unknown) => {
    if (!RENAMED.has(codeOf(error) ?? '')) throw error;
  });
}
