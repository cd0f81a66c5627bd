/** The texts of files that were trusted, by their hash, so that a later look can show what changed. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { sha256 } from '../base/hash.ts';
import { isMissing, readRegularFile } from '../base/regular-file.ts';

/** A folder of private files; each has the hash of its text as its name. */
export class TrustedTexts {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The text of a hash; null where it is not kept, or was altered. */
  async get(hash: string): Promise<string | null> {
    const text = await readRegularFile(this.#path(hash)).catch(() => null);
    return text !== null && sha256(text) === hash ? text : null;
  }

  async keep(texts: Iterable<string>): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (const text of texts) await writeAtomically(this.#path(sha256(text)), text, { mode: 0o600 });
  }

  /** Removes all texts with other hashes. */
  async retain(hashes: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for (const name of names) if (!hashes.has(name)) await rm(join(this.#folder, name), { force: true });
  }

  #path(hash: string): string {
    return join(this.#folder, hash);
  }
}
