/** Replaces a file as one step: a reader, or a crash, sees the old content or the new one, never a part. */
import { randomBytes } from 'node:crypto';
import { constants, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** `before` runs when the new content is on disk under another name, right before the rename; a throw leaves the file as it was. */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  options: {
    mode?: number | undefined;
    before?: () => Promise<void>;
    /** False skips waiting for the disk: for files that can be made again. */
    sync?: boolean;
    /** The other name, in the same folder, for who has to find it again after a kill; default: one that nobody knows. */
    temporary?: string;
  } = {},
): Promise<void> {
  const temporary = join(dirname(path), options.temporary ?? temporaryName(path, randomBytes(6).toString('hex')));
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(temporary, flags, options.mode ?? 0o666);
  try {
    try {
      await handle.writeFile(content);
      // The mode given to open is narrowed by the umask.
      if (options.mode !== undefined) await handle.chmod(options.mode);
      if (options.sync !== false) await handle.sync();
    } finally {
      await handle.close();
    }
    await options.before?.();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The name under which new content of a file lies until it is whole. */
export function temporaryName(path: string, mark: string): string {
  return `.${basename(path).slice(0, 100)}.${mark}.tmp`;
}
