/** What is at a path of a workspace, as it is kept, compared and put back: files, links as links, empty folders. */
import { lstat, mkdir, readdir, readlink, rename, rm, rmdir, symlink } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { FileState } from '#contract/change.ts';
import { writeAtomically } from '../base/atomic-file.ts';
import { TriadError } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';
import { isOwn, type Workspace } from './reach.ts';
import { makeFolder, openInside, refuseSecret, resolveInside, throwFileError, withFolder } from './places.ts';

/** What is at a path, with its bytes: where a link leads, nothing of a folder. */
export interface FileNow {
  kind: FileState['kind'];
  bytes: Buffer;
  /** Permissions; 0 for a link. */
  mode: number;
}

/** A larger file is neither kept nor put back, in bytes. */
export const MAX_KEPT_BYTES = 16 * 1024 * 1024;

export function stateOf(file: FileNow | null): FileState | null {
  if (file === null) return null;
  const { kind, bytes, mode } = file;
  return { kind, hash: sha256(bytes), bytes: bytes.length, mode };
}

export function isSame(a: FileState | null, b: FileState | null): boolean {
  if (a === null || b === null) return a === b;
  return a.kind === b.kind && a.hash === b.hash && a.mode === b.mode;
}

/**
 * What is there now; null where nothing is, a folder that has something in it, or a link on the way: behind it lies
 * what has another path. `path` is relative to the workspace. Throws `not_allowed` for what is the program's own, pipes
 * and devices, `limit_reached` for a file that is too large to be kept.
 */
export async function readState(
  workspace: Workspace,
  path: string,
  maxBytes = MAX_KEPT_BYTES,
): Promise<FileNow | null> {
  if ((await linkAbove(workspace, path)) !== null) return null;
  const folder = await folderOf(workspace, path);
  if (folder === null) return null;
  const known = await withFolder(workspace, folder, path, async (through): Promise<FileNow | 'file' | null> => {
    const place = join(through, basename(path));
    const stats = await lstat(place).catch(() => null);
    if (stats === null) return null;
    if (stats.isSymbolicLink()) return { kind: 'link', bytes: await readlink(place, 'buffer'), mode: 0 };
    if (!stats.isDirectory()) return 'file';
    if ((await readdir(place)).length > 0) return null;
    return { kind: 'folder', bytes: Buffer.alloc(0), mode: stats.mode & 0o777 };
  });
  if (known !== 'file') return known;
  const file = await openInside(workspace, path);
  try {
    if (file.stats.size > maxBytes)
      throw new TriadError('limit_reached', `${path} is too large to be kept (${file.stats.size} bytes)`);
    return { kind: 'file', bytes: await file.handle.readFile(), mode: file.stats.mode & 0o777 };
  } finally {
    await file.handle.close();
  }
}

/**
 * Puts something where something else, or nothing, is now: as one step where both are files. `expected` is looked at
 * once more right before; where it is not there any more, `conflict` is thrown and nothing is done. Folders above are
 * made, and removed where they are empty then.
 */
export async function putState(
  workspace: Workspace,
  path: string,
  to: FileNow | null,
  expected: FileState | null,
): Promise<void> {
  const check = async (): Promise<void> => {
    if (!isSame(stateOf(await readState(workspace, path)), expected))
      throw new TriadError('conflict', `${path} was changed since`);
  };
  await check();
  if (to === null && expected === null) return;
  if (to !== null) await makeFolder(workspace, join(workspace.folder, dirname(path)), path);
  const above = await folderOf(workspace, path);
  if (above === null) throw new TriadError('conflict', `${path} was changed since`);
  await withFolder(workspace, above, path, async (through) => {
    const place = join(through, basename(path));
    if (expected?.kind === 'folder') await rmdir(place);
    else if (to === null || to.kind === 'folder') await rm(place, { force: true });
    if (to?.kind === 'folder') await mkdir(place, { mode: to.mode });
    if (to?.kind === 'file')
      await writeAtomically(place, to.bytes, {
        mode: to.mode,
        ...(expected?.kind === 'folder' ? {} : { before: check }),
      });
    if (to?.kind === 'link') await putLink(place, to.bytes);
  }).catch((error: unknown) => throwFileError(error, path));
  if (to === null) await removeEmpty(workspace, dirname(path));
}

/** As one step. */
async function putLink(place: string, target: Buffer): Promise<void> {
  const temporary = join(dirname(place), `.${randomBytes(6).toString('hex')}.tmp`);
  await symlink(target, temporary);
  await rename(temporary, place).catch(async (error: unknown) => {
    await rm(temporary, { force: true });
    throw error;
  });
}

/** Folders that a removed file was the last in, from below. */
async function removeEmpty(workspace: Workspace, path: string): Promise<void> {
  for (let at = path; at !== '.' && at !== ''; at = dirname(at)) {
    const folder = join(workspace.folder, at);
    const above = await folderOf(workspace, at).catch(() => null);
    if (above === null || (await readdir(folder).catch(() => ['?'])).length > 0) return;
    const isGone = await withFolder(workspace, above, at, (through) => rmdir(join(through, basename(at)))).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

/** The first link on the way to a path, relative to the workspace like it; null where there is none. */
export async function linkAbove({ folder }: Workspace, path: string): Promise<string | null> {
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const above = path.slice(0, at);
    if ((await lstat(join(folder, above)).catch(() => null))?.isSymbolicLink()) return above;
  }
  return null;
}

/** The canonical folder that a canonical path lies in; null where it is not there. Throws `not_allowed` where the path may not be touched. */
async function folderOf(workspace: Workspace, path: string): Promise<string | null> {
  const full = join(workspace.folder, path);
  if (isOwn(workspace, full)) throw new TriadError('not_allowed', `${path} belongs to Triad itself`);
  const above = join(workspace.folder, dirname(path));
  const canonical = await resolveInside(workspace, dirname(path));
  if (canonical !== above) throw new TriadError('not_allowed', `A folder above ${path} is a link now`);
  refuseSecret(workspace, path, full);
  const stats = await lstat(above).catch(() => null);
  return stats?.isDirectory() ? above : null;
}
