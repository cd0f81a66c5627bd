/** Reads the text of files that are not trusted. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf } from './errors.ts';
import { lookAtOnce } from './disk-lookups.ts';

/** Largest file that is read, in bytes. */
export const MAX_BYTES = 1024 * 1024;

const MISSING = { code: 'ENOENT' };
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The text of a regular file. Rejects for anything else, without waiting for a pipe or a device, and for a file above `MAX_BYTES`. */
export async function readRegularFile(path: string): Promise<string> {
  const stats = lookAtOnce(path);
  if (stats === null) throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), MISSING);
  if (stats) return readAtOnce(path, FLAGS | (constants.O_NOFOLLOW ?? 0));
  const handle = await open(path, FLAGS);
  try {
    refuseUnreadable(await handle.stat());
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * The same at once, which costs a fraction; throws instead of rejecting, and gives null where nothing is there. For the
 * program's own files alone: a project may lie, or lead, where a disk keeps one waiting.
 */
export function readOwnFile(path: string): string | null {
  // Most people lack most of these files, and an error takes longer to make than all of the rest.
  if (!statSync(path, { throwIfNoEntry: false })) return null;
  return readAtOnce(path, FLAGS);
}

function readAtOnce(path: string, flags: number): string {
  const descriptor = openSync(path, flags);
  try {
    refuseUnreadable(fstatSync(descriptor));
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function refuseUnreadable(stats: Stats): void {
  if (!stats.isFile()) throw new Error('it is not a regular file');
  if (stats.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1024} KiB`);
}

/** Whether an error says that nothing exists at a path. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
