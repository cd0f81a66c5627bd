/** The texts that the person allowed, by workspace: SHA-256 of each. The text itself is not stored. */
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { canonicalFolder } from '../base/disk-lookups.ts';
import { sha256 } from '../base/hash.ts';
import { readRegularFile } from '../base/regular-file.ts';
import { SerialQueue } from '../base/serial-queue.ts';
import { refuseWriteFault } from '../base/write-refusals.ts';

/** Most hashes of one workspace. The oldest are dropped, and their texts must be read again. */
const MAX_HASHES = 5000;
const HASH = /^[0-9a-f]{64}$/;

/** One private file for each workspace, with a hash in hex on each line, the oldest first. */
export class AllowedTexts {
  readonly #folder: string;
  readonly #changes = new SerialQueue();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the hashes of the allowed texts, after all additions that were begun. */
  hashes(workspace: string): Promise<ReadonlySet<string>> {
    return this.#changes.add(() => this.#read(workspace));
  }

  /** Returns an empty set if the file cannot be read, is no regular file, or others may write it. */
  async #read(workspace: string): Promise<ReadonlySet<string>> {
    try {
      const path = await this.#path(workspace);
      await refuseWriteFault(path);
      const text = await readRegularFile(path);
      return new Set(text.split('\n').filter((line) => HASH.test(line)));
    } catch {
      return new Set();
    }
  }

  /** Adds texts that the person allowed in a workspace. */
  async add(workspace: string, texts: readonly string[]): Promise<void> {
    await this.#changes.add(async () => {
      const before = await this.#read(workspace);
      const fresh = [...new Set(texts.map((text) => sha256(text)))].filter((hash) => !before.has(hash));
      if (fresh.length === 0) return;
      const path = await this.#path(workspace);
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const all = [...before, ...fresh];
      if (before.size > 0 && all.length <= MAX_HASHES) await appendFile(path, asLines(fresh));
      else await writeAtomically(path, asLines(all.slice(-MAX_HASHES)), { mode: 0o600 });
    });
  }

  /** Resolves when all additions that were begun are stored. */
  settled(): Promise<void> {
    return this.#changes.add(() => Promise.resolve());
  }

  async #path(workspace: string): Promise<string> {
    return join(this.#folder, sha256(await canonicalFolder(workspace)));
  }
}

function asLines(hashes: readonly string[]): string {
  return hashes.map((hash) => `${hash}\n`).join('');
}
