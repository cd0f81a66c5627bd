/** The texts of files that are read again and again: one is not read where its file surely is as it was. */
import { stat } from 'node:fs/promises';
import { type RawFile, readAgentFile } from './read-place.ts';

/** Two changes within this time may carry the same time on some disks, in milliseconds. */
const COARSEST_MS = 3000;

export class FileTextCache {
  readonly #known = new Map<string, { stamp: string; file: RawFile }>();

  async read(path: string): Promise<RawFile> {
    // Before the reading: a change between the two is seen the next time.
    const stamp = await stampOf(path);
    const known = this.#known.get(path);
    if (known && known.stamp === stamp) return known.file;
    const file = await readAgentFile(path);
    if (stamp === null) this.#known.delete(path);
    else this.#known.set(path, { stamp, file });
    return file;
  }
}

/**
 * Another one after every change: the time of a file's last change, which nobody can set, is part of it. Null where that
 * is too new, or where nothing can be told.
 */
async function stampOf(path: string): Promise<string | null> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = await stat(path, { bigint: true });
    const settled = Date.now() - Number(ctimeMs) > COARSEST_MS;
    return settled ? [dev, ino, size, mtimeNs, ctimeNs].join(' ') : null;
  } catch {
    return null;
  }
}
