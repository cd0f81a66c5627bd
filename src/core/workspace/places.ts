/** Confinement: every path that a tool touches is resolved here, links included, and must lie in the workspace and in no folder of the program's own. */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { codeOf, TriadError } from '../base/errors.ts';
import { listName } from '../settings/listed-files.ts';
import { protectedFiles } from './hard-links.ts';
import { isInside, isOwn, type Workspace } from './reach.ts';
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

/** The same, with the canonical path of the workspace in which it was found to lie. */
async function placeInside(workspace: Workspace, path: string): Promise<{ root: string; canonical: string }> {
  const { folder } = workspace;
  if (path.includes('\0')) throw new TriadError('bad_input', 'A path cannot contain a NUL character');
  const root = await realpath(folder).catch((error: unknown) =>
    throwFileError(error, `The workspace folder ${folder}`),
  );
  const missing: string[] = [];
  let current = resolve(folder, path);
  for (;;) {
    const real = current === resolve(folder) ? root : await realpathOrNull(current, path);
    if (real !== null) {
      const found = join(real, ...missing);
      if (!isInside(root, found)) throw outside(path);
      if (isOwn(workspace, found) || isOwn(workspace, resolve(folder, path))) throw own(path);
      return { root, canonical: found };
    }
    if (await exists(current))
      throw new TriadError('not_allowed', `${path}: a symbolic link on the way points to nothing`);
    missing.unshift(basename(current));
    current = dirname(current);
  }
}

/** Relative to the workspace with forward slashes, as people and models see it; `.` for the workspace itself. */
export async function shownPath(folder: string, canonical: string): Promise<string> {
  return shownIn(await realpath(folder), canonical);
}

function shownIn(root: string, canonical: string): string {
  return relative(root, canonical).split(sep).join('/') || '.';
}

/** The targets of a path for rules: as it was asked for, and where it leads. */
export async function pathTargets(
  workspace: Workspace,
  path: string,
): Promise<{ values: string[]; path: true; canonical: string }> {
  const { folder } = workspace;
  const { root, canonical } = await placeInside(workspace, path);
  const asked = relative(folder, resolve(folder, path)).split(sep).join('/') || '.';
  const values = new Set([shownIn(root, canonical), asked]);
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
  const canonical = await resolveInside(workspace, path);
  refuseSecret(workspace, path, canonical);
  refuseSpecial(await lstat(canonical).catch((error: unknown) => throwFileError(error, path)), path);
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(canonical, flags).catch((error: unknown) => throwFileError(error, path));
  try {
    const stats = await handle.stat();
    refuseSpecial(stats, path);
    await refuseReplaced(handle, canonical, path);
    if (stats.nlink > 1) await refuseOtherName(workspace, handle, path, protect);
    return { handle, path: canonical, stats };
  } catch (error) {
    await handle.close();
    throw error;
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
 * Runs work with a path of a folder in the workspace that stays the same folder, whatever its name comes to mean
 * meanwhile (where the system can do that: on Linux). Throws where it is no folder.
 */
export async function withFolder<T>(
  canonical: string,
  asked: string,
  work: (through: string) => Promise<T>,
): Promise<T> {
  const stats = await lstat(canonical).catch((error: unknown) => throwFileError(error, asked));
  if (!stats.isDirectory()) throw new TriadError('bad_input', `${asked} is not a folder`);
  // Windows opens no folders; there the check before has to do.
  if (process.platform === 'win32') return work(canonical);
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(canonical, flags).catch((error: unknown) => throwFileError(error, asked));
  try {
    await refuseReplaced(handle, canonical, asked);
    return await work(process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : canonical);
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder of the workspace and those above it that are missing, each in one that is in hand, so that none comes
 * to be outside.
 */
export async function makeFolder(canonical: string, asked: string): Promise<void> {
  const there = await lstat(canonical).catch(() => null);
  if (there) return;
  await makeFolder(dirname(canonical), asked);
  await withFolder(dirname(canonical), asked, (through) =>
    mkdir(join(through, basename(canonical))).catch((error: unknown) => {
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
  throw new TriadError('conflict', `${asked} was replaced while it was opened`);
}

/** Throws `bad_input` for a folder, `not_allowed` for anything else that is no regular file. */
function refuseSpecial(stats: Stats, path: string): void {
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
