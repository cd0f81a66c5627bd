/** The size of a folder on the disk. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the bytes of all files in a folder and below it. */
export async function folderSize(folder: string): Promise<number> {
  let size = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) size += (await stat(join(entry.parentPath, entry.name))).size;
  return size;
}
