/** Reads the text of files that are not trusted. */
import { constants, open } from 'node:fs/promises';
import { codeOf } from './errors.ts';

/** Largest file that is read, in bytes. */
export const MAX_BYTES = 1024 * 1024;

/** The text of a regular file. Rejects for anything else, without waiting for a pipe or a device, and for a file above `MAX_BYTES`. */
export async function readRegularFile(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1024} KiB`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Whether an error says that nothing exists at a path. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
