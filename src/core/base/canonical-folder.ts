/** The one path of a folder, links resolved, so that the same folder is always the same workspace. */
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
