/** The one path of a folder, links resolved, so that the same folder is always the same workspace. */
import { realpath, stat } from 'node:fs/promises';
import { TriadError } from './errors.ts';

export async function canonicalFolder(folder: string): Promise<string> {
  try {
    const path = await realpath(folder);
    if ((await stat(path)).isDirectory()) return path;
  } catch {
    // Told below: it does not matter why it cannot be used.
  }
  throw new TriadError('bad_input', `${folder} is not a folder that can be read`);
}
