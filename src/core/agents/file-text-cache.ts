/** A cache of the texts of files: a file is read again unless it surely has not changed. */
import { statSync } from 'node:fs';
import type { RawFile } from './entries.ts';
import { readAgentFile } from './read-place.ts';

/** Coarsest time stamp of a file system, in milliseconds: two changes within it may carry the same time. */
const COARSEST_MS = 3000;

export class FileTextCache {
  readonly #known = new Map<string, { stamp: string; file: RawFile }>();

  async read(path: string): Promise<RawFile> {
    // Before reading the text, so that a change in between is seen the next time.
    const stamp = stampOf(path);
    const known = this.#known.get(path);
    if (known && known.stamp === stamp) return known.file;
    const file = await readAgentFile(path);
    if (stamp === null) this.#known.delete(path);
    else this.#known.set(path, { stamp, file });
    return file;
  }
}

/**
 * Differs after every change of the file: it contains the ctime, which programs cannot set. Null where the last change is
 * too recent to tell, or where the file cannot be examined.
 */
function stampOf(path: string): string | null {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = statSync(path, { bigint: true });
    const settled = Date.now() - Number(ctimeMs) > COARSEST_MS;
    return settled ? [dev, ino, size, mtimeNs, ctimeNs].join(' ') : null;
  } catch {
    return null;
  }
}
