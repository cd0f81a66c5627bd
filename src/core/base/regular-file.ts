/** Reads the text of files that anybody may have put there. */
import { constants, open } from 'node:fs/promises';
import { codeOf } from './errors.ts';

export const MAX_BYTES = 1024 * 1024;

/** Never waits for a pipe or a device, and never reads a huge file: rejects with what is wrong. */
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

/** Whether the error says that there is nothing at the path. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
