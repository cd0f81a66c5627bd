/** All that is in a folder, to be compared byte for byte. */
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** By path: its kind, its permissions where they mean something, and its content as base64. */
export async function treeOf(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const entries = names.sort().map(async (name): Promise<[string, string]> => {
    const path = join(folder, name);
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) return [name, `link ${await readlink(path)}`];
    const mode = (stats.mode & 0o777).toString(8);
    if (stats.isDirectory()) return [name, 'folder'];
    return [name, `file ${mode} ${(await readFile(path)).toString('base64')}`];
  });
  return Object.fromEntries(await Promise.all(entries));
}
