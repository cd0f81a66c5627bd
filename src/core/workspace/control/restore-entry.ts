/** Puts back one control file. Every path is opened from its folder on, so that no link leads elsewhere. */
import { constants } from 'node:fs';
import { chmod, cp, lstat, mkdir, open, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { sha256 } from '../../base/hash.ts';
import { encodePath, type OpenEntry } from '../open-entry.ts';
import type { ControlFile } from './scan-control-files.ts';

/** Maximum length of a path below a folder for replaced versions, in bytes. */
const MAX_PATH_BYTES = 1000;

/** Returns the path of a replaced version. One that cannot be a path in another folder gets another name. */
export function composeAside(folder: string, path: string): string {
  const isShort = path.isWellFormed() && Buffer.byteLength(path) <= MAX_PATH_BYTES;
  return join(folder, isShort ? path : `entry-${sha256(encodePath(path)).slice(0, 16)}`);
}

/** Moves what is at a path aside, and writes what was there before. */
export async function restoreEntry(
  base: OpenEntry,
  path: string,
  { before, bytes, aside }: { before: ControlFile | null; bytes: Buffer | null; aside: string },
): Promise<void> {
  const parent = await base.openBelow(relative(base.path, dirname(path)), bytes !== null);
  if (!parent) return;
  try {
    const entry = encodePath(`${parent.through}/${basename(path)}`);
    if (await lstat(entry).catch(() => null)) await moveAside(parent, basename(path), aside);
    if (before?.kind === 'link') await symlink(before.target, entry);
    if (before?.kind === 'file' && bytes) await createFile(entry, bytes, before.mode);
  } finally {
    await parent.close();
  }
}

async function moveAside(parent: OpenEntry, name: string, aside: string): Promise<void> {
  await mkdir(dirname(aside), { recursive: true, mode: 0o700 });
  const path = `${parent.through}/${name}`;
  const folder = await parent.openEntry(name);
  try {
    // A folder that its owner cannot write cannot be moved into another one.
    if (folder?.stats.isDirectory()) await chmod(folder.through, 0o700);
    await rename(encodePath(path), aside);
  } catch {
    // Another file system.
    const isCopied = async (source: string): Promise<boolean> => {
      const stats = await lstat(source);
      return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
    };
    await cp(path, aside, { recursive: true, verbatimSymlinks: true, filter: isCopied });
    await rm(path, { recursive: true });
  } finally {
    await folder?.close();
  }
}

async function createFile(path: Buffer, bytes: Buffer, mode: number): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(path, flags, mode);
  try {
    await handle.writeFile(bytes);
    await handle.chmod(mode);
  } finally {
    await handle.close();
  }
}
