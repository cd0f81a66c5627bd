/** What is at a path of a workspace, as it is kept, compared and put back: files, links as links, empty folders. */
import { chmod, lstat, mkdir, readdir, readlink, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { phrase } from '#contract/approvals/phrases.ts';
import type { FileState } from '#contract/change.ts';
import { temporaryName, writeAtomically } from '../base/atomic-file.ts';
import { codeOf, findDiskFault, saidError, TriadError } from '../base/errors.ts';
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

/** Most files that are compared at once. Each takes a few descriptors, and a process has a limited number. */
const MAX_OPEN_FILES = 32;

/** Returns the results in the order of the files, of which a few are worked on at once. Rejects like `Promise.all`. */
export async function mapFiles<T, R>(files: readonly T[], work: (file: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = files.entries();
  const takeNext = async (): Promise<void> => {
    for (const [index, file] of entries) results[index] = await work(file);
  };
  await Promise.all(Array.from({ length: Math.min(MAX_OPEN_FILES, files.length) }, takeNext));
  return results;
}

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
    const stats = await lstat(place).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    });
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

/** Options for the replacement of a state in a workspace. */
export interface PutOptions {
  /** Mark of the names of temporary files, so that they can be found after a kill. */
  mark: string;
  /** Permissions of folders that have to be made again, by path. */
  folders?: Readonly<Record<string, number>> | undefined;
  /** Returns true for a folder that stays if it is empty. */
  isKept?: (path: string) => boolean;
}

/**
 * Puts something where something else, or nothing, is now. `expected` is compared right before; if it is not there any
 * more, `conflict` is thrown and nothing is done. The replacement is one step, except between a folder and something
 * else: there the path is missing for a moment. Folders above are made, and removed where they are empty then.
 */
export async function putState(
  workspace: Workspace,
  path: string,
  to: FileNow | null,
  expected: FileState | null,
  options: PutOptions,
): Promise<void> {
  const check = async (): Promise<void> => {
    if (!isSame(stateOf(await readState(workspace, path)), expected))
      throw saidError('conflict', [phrase('changed_meanwhile', { path })]);
  };
  await check();
  if (to === null && expected === null) return;
  if (to !== null) await makeFoldersAbove(workspace, path, options);
  const above = await folderOf(workspace, path);
  if (above === null) throw saidError('conflict', [phrase('changed_meanwhile', { path })]);
  await withFolder(workspace, above, path, async (through) => {
    const place = join(through, basename(path));
    const temporary = nameTemporary(path, options.mark);
    if (expected?.kind === 'folder' && to?.kind === 'folder') return chmod(place, to.mode);
    if (expected?.kind === 'folder') await rmdir(place);
    else if (to === null || to.kind === 'folder') await rm(place, { force: true });
    if (to?.kind === 'folder') await putFolder(place, to.mode, join(through, temporary));
    if (to?.kind === 'file')
      await writeAtomically(place, to.bytes, {
        mode: to.mode,
        temporary,
        ...(expected?.kind === 'folder' ? {} : { before: check }),
      });
    if (to?.kind === 'link') await putLink(place, to.bytes, join(through, temporary));
  }).catch((error: unknown) => throwFileError(error, path));
  if (to === null) await removeEmpty(workspace, dirname(path), options.isKept);
}

/** Name of the temporary file of a path. Depends on nothing that a kill loses. */
function nameTemporary(path: string, mark: string): string {
  return temporaryName(path, sha256(`${mark} ${path}`).slice(0, 12));
}

/** Replaces a file or a link with a link, as one step. */
async function putLink(place: string, target: Buffer, temporary: string): Promise<void> {
  await symlink(target, temporary);
  await rename(temporary, place).catch(async (error: unknown) => {
    await rm(temporary, { force: true });
    throw error;
  });
}

/** Makes a folder with exactly this mode, as one step. */
async function putFolder(place: string, mode: number, temporary: string): Promise<void> {
  await mkdir(temporary, { mode });
  try {
    // The umask has reduced the mode of `mkdir`.
    await chmod(temporary, mode);
    await rename(temporary, place);
  } catch (error) {
    await rmdir(temporary).catch(() => undefined);
    throw error;
  }
}

function makeFoldersAbove(workspace: Workspace, path: string, { mark, folders = {} }: PutOptions): Promise<void> {
  const make = async (place: string, canonical: string): Promise<void> => {
    const above = relative(workspace.folder, canonical).split(sep).join('/');
    const mode = folders[above];
    if (mode === undefined) await mkdir(place);
    else await putFolder(place, mode, join(dirname(place), nameTemporary(above, mark)));
  };
  return makeFolder(workspace, join(workspace.folder, dirname(path)), path, make);
}

/** Returns the permissions of the folders above these paths, by path. Missing folders are left out. */
export async function readFolders(workspace: Workspace, paths: readonly string[]): Promise<Record<string, number>> {
  const above = new Set(paths.flatMap(listFoldersAbove));
  const modes: Record<string, number> = {};
  for (const path of above) {
    const stats = await lstat(join(workspace.folder, path)).catch(() => null);
    const isReached = dirname(path) === '.' || dirname(path) in modes;
    if (isReached && stats?.isDirectory()) modes[path] = stats.mode & 0o777;
  }
  return modes;
}

/** Returns the folders above a path in a workspace, from above. */
export function listFoldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Removes the temporary files that a kill has left of these paths, and of the folders above them. Follows no link. */
export async function removeTemporaries(workspace: Workspace, paths: readonly string[], mark: string): Promise<void> {
  const all = new Set(paths.flatMap((path) => [...listFoldersAbove(path), path]));
  for (const [folder, own] of Map.groupBy(all, (path) => dirname(path))) {
    const temporaryNames = new Set(own.map((path) => nameTemporary(path, mark)));
    const above = await folderOf(workspace, join(folder, [...temporaryNames][0]!)).catch(() => null);
    if (above === null) continue;
    await withFolder(workspace, above, folder, async (through) => {
      for (const entry of await readdir(through, { withFileTypes: true })) {
        if (!temporaryNames.has(entry.name)) continue;
        const place = join(through, entry.name);
        // Another program could have put files into it.
        if (entry.isDirectory()) await rmdir(place).catch(() => undefined);
        else await unlink(place);
      }
    }).catch((error: unknown) => throwFileError(error, folder));
  }
}

/** Removes a folder and those above it as long as they are empty, from below. */
export async function removeEmpty(
  workspace: Workspace,
  path: string,
  isKept: (path: string) => boolean = () => false,
): Promise<void> {
  for (let at = path; at !== '.' && at !== '' && !isKept(at); at = dirname(at)) {
    const folder = join(workspace.folder, at);
    const above = await folderOf(workspace, at).catch(() => null);
    if (above === null) continue;
    if ((await readdir(folder).catch(() => [])).length > 0) return;
    await withFolder(workspace, above, at, (through) => rmdir(join(through, basename(at)))).catch((error: unknown) => {
      if (findDiskFault(error) !== null) throw error;
    });
    if (await lstat(folder).catch(() => null)) return;
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
