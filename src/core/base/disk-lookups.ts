/**
 * Reads attributes and real paths of files and folders: on local disks synchronously, on other disks through a thread. A
 * thread costs several times as much, but a network disk may answer late or never.
 */
import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { lstat, realpath, stat, statfs } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { TriadError } from './errors.ts';

/** Types of file systems on local disks and in memory, as Linux numbers them: ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs. */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010,
]);
const IS_LINUX = process.platform === 'linux';
/** Maximum number of cached folders. */
const MAX_FOLDERS = 2000;
/** Maximum number of levels between a path and the local folder above it. */
const MAX_DEPTH = 3;

/** Module state, because disks belong to the machine. False while the answer of the system is pending. */
const localFolders = new Map<string, boolean>();

/** Returns whether a folder is on a local disk. Queries the system once for each folder, and returns false until it answers. */
export function isOnLocalDisk(folder: string): boolean {
  const cachedAnswer = localFolders.get(folder);
  if (cachedAnswer !== undefined || !IS_LINUX) return cachedAnswer ?? false;
  if (localFolders.size >= MAX_FOLDERS) localFolders.clear();
  localFolders.set(folder, false);
  statfs(folder).then(
    ({ type }) => localFolders.set(folder, LOCAL_TYPES.has(type)),
    () => undefined,
  );
  return false;
}

/**
 * Returns the attributes of a path: null for a missing one, and undefined if they cannot be read at once, because the path
 * is not on a local disk or a link is on the way or at its end.
 */
export function lookAtOnce(path: string): Stats | null | undefined {
  const folder = findLocalFolder(path);
  if (folder === null) return undefined;
  let current = folder;
  let stats: Stats | undefined;
  for (const name of relative(folder, path).split(sep)) {
    current = join(current, name);
    stats = lstatSync(current, { throwIfNoEntry: false });
    if (!stats) return null;
    if (stats.isSymbolicLink()) return undefined;
  }
  return stats;
}

/** Returns the nearest cached folder above a path that is on a local disk. */
function findLocalFolder(path: string): string | null {
  let folder = path;
  for (let depth = 0; depth < MAX_DEPTH && dirname(folder) !== folder; depth += 1) {
    folder = dirname(folder);
    if (isOnLocalDisk(folder)) return folder;
  }
  return null;
}

/** Returns the attributes of a path without following a link; null if they cannot be read. */
export async function readLinkStats(path: string): Promise<Stats | null> {
  const stats = lookAtOnce(path);
  return stats === undefined ? lstat(path).catch(() => null) : stats;
}

/** Returns the real path of a folder or a file; null if it is missing. */
export async function findRealPath(path: string): Promise<string | null> {
  if (isOnLocalDisk(path)) {
    try {
      return realpathSync.native(path);
    } catch {
      return null;
    }
  }
  if (lookAtOnce(path) === null) return null;
  return realpath(path).catch(() => null);
}

/** Returns the real path of a folder. Throws `bad_input` if it is missing, unreadable or not a folder. */
export async function canonicalFolder(folder: string): Promise<string> {
  try {
    const path = await realpath(folder);
    if ((await stat(path)).isDirectory()) return path;
  } catch {
    // The error below covers every cause.
  }
  throw new TriadError('bad_input', `${folder} is not a folder that can be read`);
}

/** Returns whether the path is a folder; false for a missing or unreadable path. */
export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
