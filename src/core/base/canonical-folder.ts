/** Paths of folders: whether one exists, and its one path with links resolved, which identifies a workspace. */
import { realpath, stat } from 'node:fs/promises';
import { TriadError } from './errors.ts';

/** The real path of a folder. Throws `bad_input` where it is missing, cannot be read or is no folder. */
export async function canonicalFolder(folder: string): Promise<string> {
  try {
    const path = await realpath(folder);
    if ((await stat(path)).isDirectory()) return path;
  } catch {
    // Whatever the cause, the error below is thrown.
  }
  throw new TriadError('bad_input', `${folder} is not a folder that can be read`);
}

/** Returns whether the path is a folder. A missing or unreadable path is none. */
export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
