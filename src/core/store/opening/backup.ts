/** The copy of a store's folder that is made before its schema changes, while nothing has it open. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TriadError } from '../../base/errors.ts';

/** Number of backups kept. */
const KEEP = 2;
/** Free space that the migration needs besides the copy. */
const MARGIN_BYTES = 32 * 1024 * 1024;
const CHECK_MS = 60_000;
/** Program that opens the copy; missing in a bundle, where only sizes are compared. */
const CHECK = join(import.meta.dirname, 'check-copy.ts');

/**
 * Makes `<folder>.backup-v<version>-<time>`, complete and checked, or rejects with `store_unwritable` or `store_failed`
 * and leaves no part of it. Older copies go when the new one is there.
 */
export async function backUp(folder: string, version: number): Promise<void> {
  await mustHaveRoom(folder);
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const backup = `${folder}.backup-v${version}-${time}`;
  const partial = `${backup}.partial`;
  try {
    await cp(folder, partial, {
      recursive: true,
      preserveTimestamps: true,
      force: false,
      errorOnExist: true,
    });
    await check(folder, partial);
    await rename(partial, backup);
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    if (error instanceof TriadError) throw error;
    const message = `The store in ${folder} could not be copied before its upgrade: check the disk and the rights of the folder above it.`;
    throw new TriadError('store_unwritable', message, { cause: error, detail: String(error) });
  }
  await prune(folder);
}

async function mustHaveRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(folder));
  const needed = (await bytesOf(folder)) + MARGIN_BYTES;
  if (bavail * bsize >= needed) return;
  const megabytes = (bytes: number) => Math.ceil(bytes / 1e6);
  throw new TriadError(
    'store_unwritable',
    `Before its upgrade the store is copied, and there is no room for the copy beside ${folder}: ${megabytes(needed)} MB are needed, ${megabytes(bavail * bsize)} MB are free. Free some space, then start Triad again.`,
  );
}

async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}

async function check(folder: string, copy: string): Promise<void> {
  const [expected, copied] = [await bytesOf(folder), await bytesOf(copy)];
  if (expected !== copied) throw new Error(`The copy has ${copied} of ${expected} bytes.`);
  const fault = await faultOf(copy);
  if (fault === null) return;
  throw new TriadError(
    'store_failed',
    `The store in ${folder} is damaged, so it was not upgraded: restore the folder from a backup, or move it away to start empty.`,
    { detail: fault },
  );
}

/** Opens a copy in a child process. Returns its error, or null if the copy is fine or cannot be checked. */
async function faultOf(copy: string): Promise<string | null> {
  if (!canCheck()) return null;
  const child = spawn(process.execPath, [CHECK, copy], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: CHECK_MS,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0 ? null : said.trim() || `the check ended with ${code}`;
}

function canCheck(): boolean {
  return process.versions.electron === undefined && existsSync(CHECK);
}

/**
 * For a store whose manifest is truncated: after a crash nothing is missing, but otherwise the engine would delete
 * files that the manifest no longer names. Tries it on a copy and rejects with `store_failed` if files would go.
 */
export async function assertTruncationIsHarmless(folder: string): Promise<void> {
  const copy = `${folder}.check`;
  const tables = async (of: string) => (await readdir(of)).filter((name) => name.endsWith('.sst'));
  try {
    await rm(copy, { recursive: true, force: true });
    const before = await tables(folder);
    if (canCheck()) {
      await mustHaveRoom(folder);
      await cp(folder, copy, { recursive: true });
      const after = (await faultOf(copy)) === null ? await tables(copy) : [];
      if (before.every((name) => after.includes(name))) return;
    }
    const message = `The store in ${folder} is damaged: restore the folder from a backup, or move it away to start empty.`;
    throw new TriadError('store_failed', message, { detail: 'the list of its files is cut off' });
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Names sort by time within a version, and a later version is a later copy. */
async function prune(folder: string): Promise<void> {
  const parent = dirname(folder);
  const prefix = `${basename(folder)}.backup-v`;
  const age = async (name: string) => ({ name, ms: (await stat(join(parent, name))).ctimeMs });
  const names = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  const gone = names.filter((name) => name.endsWith('.partial'));
  const copies = await Promise.all(names.filter((name) => !name.endsWith('.partial')).map(age));
  gone.push(
    ...copies
      .sort((a, b) => b.ms - a.ms)
      .slice(KEEP)
      .map(({ name }) => name),
  );
  for (const name of gone) await rm(join(parent, name), { recursive: true, force: true });
}
