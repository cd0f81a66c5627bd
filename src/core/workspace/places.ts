/** Confinement: every path that a tool touches is resolved here, links included, and must lie in the workspace and in no folder of the program's own. */
import { closeSync, constants, openSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { codeOf, TriadError } from '../base/errors.ts';
import { listName } from '../settings/listed-files.ts';
import { protectedFiles } from './hard-links.ts';
import type { OpenEntry } from './open-entry.ts';
import { isInside, isOwn, type Workspace } from './reach.ts';
import { describeReplacement, type Root, withRoot } from './roots.ts';
import { findSecretProgram, isSecret } from './secret-names.ts';

export interface OpenFile {
  handle: FileHandle;
  /** Canonical path. */
  path: string;
  stats: Stats;
}

/**
 * The canonical path of something in the workspace that exists or could be made there. Follows links, also of the
 * nearest existing folder above a new file. Throws `not_allowed` where that leads outside, or into a folder of the
 * program's own.
 */
export async function resolveInside(workspace: Workspace, path: string): Promise<string> {
  return (await placeInside(workspace, path)).canonical;
}

function placeInside(workspace: Workspace, path: string): Promise<{ root: string; canonical: string }> {
  return withRoot(workspace, (root) => resolveIn(root, workspace, path));
}

/** Returns the canonical paths of the open root folder and of a path in it. Throws like `resolveInside`. */
async function resolveIn(root: Root, workspace: Workspace, path: string): Promise<{ root: string; canonical: string }> {
  const { folder } = workspace;
  if (path.includes('\0')) throw new TriadError('bad_input', 'A path cannot contain a NUL character');
  // The kernel names the path of an open folder.
  const top = (await root.entry?.isInPlace())
    ? folder
    : await realpath(root.through(folder)).catch((error: unknown) =>
        throwFileError(error, `The workspace folder ${folder}`),
      );
  // The open folder was moved, so paths in it would be outside.
  if (root.entry && top !== folder) throw await describeReplacement(folder);
  const missing: string[] = [];
  let current = resolve(folder, path);
  for (;;) {
    const through = isInside(folder, current) ? root.through(current) : current;
    const real = current === folder ? top : await realpathOrNull(through, path);
    if (real !== null) {
      const found = join(real, ...missing);
      if (!isInside(top, found)) throw outside(path);
      if (isOwn(workspace, found) || isOwn(workspace, resolve(folder, path))) throw own(path);
      return { root: top, canonical: found };
    }
    if (await exists(through))
      throw new TriadError('not_allowed', `${path}: a symbolic link on the way points to nothing`);
    missing.unshift(basename(current));
    current = dirname(current);
  }
}

/** Relative to the workspace with forward slashes, as people and models see it; `.` for the workspace itself. */
export function shownPath(folder: string, canonical: string): string {
  return relative(folder, canonical).split(sep).join('/') || '.';
}

/** The targets of a path for rules: as it was asked for, and where it leads. */
export async function pathTargets(
  workspace: Workspace,
  path: string,
): Promise<{ values: string[]; path: true; canonical: string }> {
  const { folder } = workspace;
  const { root, canonical } = await placeInside(workspace, path);
  const asked = relative(folder, resolve(folder, path)).split(sep).join('/') || '.';
  const values = new Set([shownPath(root, canonical), asked]);
  return { values: [...values], path: true, canonical };
}

/** The same for a file that is read or written whole: one that holds keys is refused. */
export async function fileTargets(workspace: Workspace, path: string): Promise<{ values: string[]; path: true }> {
  const { canonical, ...targets } = await pathTargets(workspace, path);
  refuseSecret(workspace, path, canonical);
  return targets;
}

/** Throws `not_allowed` for a file that holds keys, by the name that was asked for or the one it leads to. */
export function refuseSecret(workspace: Workspace, asked: string, canonical: string): void {
  const { folder, secrets } = workspace;
  const paths = [canonical, join(folder, basename(asked))];
  if (!paths.some((path) => isSecret(workspace, path))) return;
  const program = paths.map(findSecretProgram).find((one) => one !== null);
  const why = program ? `usually holds keys or passwords of ${program}` : `is in ${listName('secret_files', secrets)}`;
  throw new TriadError('not_allowed', `${asked} ${why}: tools neither read nor write it`);
}

/**
 * Opens a regular file for reading and makes sure that what was opened is what was checked, whatever changed on disk
 * in between. Never waits for a pipe or a device. The caller closes the handle. `protect` finds the files that may not
 * be opened under any other name either.
 */
export async function openInside(
  workspace: Workspace,
  path: string,
  protect: typeof protectedFiles = protectedFiles,
): Promise<OpenFile> {
  return withRoot(workspace, async (root) => {
    const { canonical } = await resolveIn(root, workspace, path);
    refuseSecret(workspace, path, canonical);
    const handle = await openBelow(root, canonical, path, (stats) => refuseSpecial(stats, path));
    try {
      const stats = await handle.stat();
      refuseSpecial(stats, path);
      if (stats.nlink > 1) await refuseOtherName(workspace, handle, path, protect);
      return { handle, path: canonical, stats };
    } catch (error) {
      await handle.close();
      throw error;
    }
  });
}

/**
 * Opens a canonical path in the open root folder for reading, one component after the other. Never waits for a pipe.
 * `check` throws for an entry that may not be opened.
 */
async function openBelow(
  root: Root,
  canonical: string,
  asked: string,
  check: (stats: Pick<Stats, 'isFile' | 'isDirectory'>) => void,
): Promise<FileHandle> {
  return withEntry(root, canonical, { asked, check }, (entry) => openToRead(entry, canonical, asked));
}

async function openToRead(entry: OpenEntry | undefined, canonical: string, asked: string): Promise<FileHandle> {
  const flags = READING | (entry ? 0 : (constants.O_NOFOLLOW ?? 0));
  const handle = await open(entry?.through ?? canonical, flags).catch((error: unknown) => throwFileError(error, asked));
  try {
    await refuseReplaced(handle, canonical, asked);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Runs work with an entry that is open below the root folder; with null where nothing is opened by descriptor. */
async function withEntry<T>(
  root: Root,
  canonical: string,
  { asked, check }: { asked: string; check: (stats: Pick<Stats, 'isFile' | 'isDirectory'>) => void },
  work: (entry: OpenEntry | undefined) => Promise<T>,
): Promise<T> {
  const entry = await root.entry?.openBelow(relative(root.folder, canonical));
  try {
    const stats =
      entry?.stats ?? (await lstat(root.through(canonical)).catch((error: unknown) => throwFileError(error, asked)));
    check(stats);
    // Something that was there a moment ago is missing or a link now.
    if (entry === null) throw replaced(asked);
    return await work(entry);
  } finally {
    await entry?.close();
  }
}

/** The same; null where nothing is there. */
export async function openIfThere(workspace: Workspace, path: string): Promise<OpenFile | null> {
  return openInside(workspace, path).catch((error: unknown) => {
    if (error instanceof TriadError && error.code === 'not_found') return null;
    throw error;
  });
}

/**
 * Runs work with a path of a folder in the workspace. The path stays the same folder, also if another one gets its name
 * meanwhile. On systems other than Linux it is compared before. Throws `bad_input` for anything that is not a folder.
 */
export async function withFolder<T>(
  workspace: Pick<Workspace, 'folder' | 'root'>,
  canonical: string,
  asked: string,
  work: (through: string) => Promise<T>,
): Promise<T> {
  return withRoot(workspace, async (root) => {
    const check = (stats: Pick<Stats, 'isDirectory'>): void => {
      if (!stats.isDirectory()) throw new TriadError('bad_input', `${asked} is not a folder`);
    };
    // Windows opens no folders.
    if (process.platform === 'win32') {
      check(await lstat(canonical).catch((error: unknown) => throwFileError(error, asked)));
      return work(canonical);
    }
    return withEntry(root, canonical, { asked, check }, async (entry) => {
      if (entry?.isLocal) return withLocalFolder(entry, asked, work);
      const handle = await openToRead(entry, canonical, asked);
      try {
        return await work(process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : canonical);
      } finally {
        await handle.close();
      }
    });
  });
}

/** Opens the folder for reading without a thread. Linux only. */
async function withLocalFolder<T>(entry: OpenEntry, asked: string, work: (through: string) => Promise<T>): Promise<T> {
  if (!(await entry.isInPlace())) throw replaced(asked);
  let fd: number;
  try {
    fd = openSync(entry.through, READING);
  } catch (error) {
    return throwFileError(error, asked);
  }
  try {
    return await work(`/proc/self/fd/${fd}`);
  } finally {
    closeSync(fd);
  }
}

/**
 * Makes a folder of the workspace and the missing ones above it, each in an open one, so that none is outside. `make`:
 * makes one of them.
 */
export async function makeFolder(
  workspace: Pick<Workspace, 'folder' | 'root'>,
  canonical: string,
  asked: string,
  make: (place: string, canonical: string) => Promise<unknown> = (place) => mkdir(place),
): Promise<void> {
  const isThere = await withRoot(workspace, (root) => exists(root.through(canonical)));
  if (isThere) return;
  await makeFolder(workspace, dirname(canonical), asked, make);
  await withFolder(workspace, dirname(canonical), asked, (through) =>
    make(join(through, basename(canonical)), canonical).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throwFileError(error, asked);
    }),
  );
}

/** A hard link is the file itself. Throws `not_allowed` where it has another name under which it may not be read. */
async function refuseOtherName(
  workspace: Workspace,
  handle: FileHandle,
  asked: string,
  protect: typeof protectedFiles,
): Promise<void> {
  const { dev, ino } = await handle.stat({ bigint: true });
  const files = await protect(workspace);
  if (files === null)
    throw new TriadError('not_allowed', `${asked} has another name (a hard link), and too many files could be it`);
  if (files.has(`${dev}:${ino}`))
    throw new TriadError(
      'not_allowed',
      `${asked} is also the name of a file that no tool reaches: one that holds keys, or one of Triad's own`,
    );
}

/** Throws unless what was opened is what has this canonical path: a folder above may have become a link in between. */
async function refuseReplaced(handle: FileHandle, canonical: string, asked: string): Promise<void> {
  // Linux names what is open; elsewhere name and file are compared once more.
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
  if (opened === canonical) return;
  if (opened === null) {
    const [stats, there] = await Promise.all([
      handle.stat(),
      lstat(canonical).catch((error: unknown) => throwFileError(error, asked)),
    ]);
    const real = await realpath(canonical).catch((error: unknown) => throwFileError(error, asked));
    if (real === canonical && there.ino === stats.ino && there.dev === stats.dev) return;
  }
  throw replaced(asked);
}

const replaced = (asked: string): TriadError => new TriadError('conflict', `${asked} was replaced while it was opened`);

/** Throws `bad_input` for a folder, `not_allowed` for anything else that is no regular file. */
function refuseSpecial(stats: Pick<Stats, 'isFile' | 'isDirectory'>, path: string): void {
  if (stats.isDirectory()) throw new TriadError('bad_input', `${path} is a folder, not a file`);
  if (!stats.isFile()) throw new TriadError('not_allowed', `${path} is not a regular file (a pipe, device or socket)`);
}

/** Rethrows a failure of the file system as a TriadError that names the path that was asked for: `not_found`, `bad_input`, `not_allowed` or `internal`. */
export function throwFileError(error: unknown, path: string): never {
  const code = codeOf(error);
  if (code === 'ENOENT') throw new TriadError('not_found', `${path} does not exist`);
  if (code === 'ENOTDIR') throw new TriadError('bad_input', `${path}: a part of the path is a file, not a folder`);
  if (code === 'EACCES' || code === 'EPERM') throw new TriadError('not_allowed', `${path}: the system denies access`);
  if (code === 'ELOOP') throw new TriadError('not_allowed', `${path} is a symbolic link, or leads through too many`);
  if (code === 'ENAMETOOLONG') throw new TriadError('bad_input', 'The path is too long');
  if (error instanceof TriadError || code === null) throw error;
  throw new TriadError('internal', `${path}: ${code}`, { cause: error, detail: String(error) });
}

function own(path: string): TriadError {
  return new TriadError('not_allowed', `${path} belongs to Triad itself (settings, keys, history): no tool reaches it`);
}

function outside(path: string): TriadError {
  return new TriadError('not_allowed', `${path} is outside the workspace`);
}

/** Null where nothing is there, or only a link that leads to nothing. */
async function realpathOrNull(path: string, asked: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? null : throwFileError(error, asked);
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
