/**
 * The public keys of the browsers that are let in: a file for each in `browsers/` of the data folder, so that several
 * programs add and remove keys without a lock. A file's name is made from key and origin, and the time of its last change
 * is that of the key's last use.
 */
import { createHash } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '#core/base/atomic-file.ts';
import { codeOf } from '#core/base/errors.ts';
import { refuseWriteFault } from '#core/base/write-refusals.ts';

/** How often removals by other programs are looked for, in milliseconds. */
const LOOK_MS = 200;
/** A key that was not used for so long is refused. */
const LONGEST_UNUSED_MS = 90 * 24 * 60 * 60 * 1000;
const FILE = /^[0-9a-f]{64}\.json$/;

export class BrowserKeys {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, 'browsers');
  }

  /** Throws `not_allowed` where others may write the folder, and so could let themselves in. */
  check(): Promise<void> {
    return refuseWriteFault(this.#folder);
  }

  async add(key: string, origin: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // For people: what counts is the name.
    const entry = { key, origin, addedAt: new Date().toISOString() };
    await writeAtomically(this.#pathOf(key, origin), `${JSON.stringify(entry, null, 2)}\n`, { mode: 0o600 });
  }

  /** Whether the key was added for this origin and not removed since. Rejects where the folder cannot be read. */
  async has(key: string, origin: string): Promise<boolean> {
    return (await this.#usedAt(key, origin)) !== null;
  }

  /** As `has`, and notes the use; removes a key that was not used for very long. */
  async use(key: string, origin: string): Promise<boolean> {
    const usedAt = await this.#usedAt(key, origin);
    if (usedAt === null) return false;
    const now = new Date();
    if (now.getTime() - usedAt > LONGEST_UNUSED_MS) {
      await this.remove(key, origin);
      return false;
    }
    // Changes a file that is there and makes none: a key that is removed meanwhile stays removed.
    await utimes(this.#pathOf(key, origin), now, now).catch(() => undefined);
    return true;
  }

  async remove(key: string, origin: string): Promise<void> {
    await rm(this.#pathOf(key, origin), { force: true });
  }

  /** Returns whether a browser has signed in at this origin. Rejects if the folder cannot be read. */
  async hasKeyAt(origin: string): Promise<boolean> {
    const names = await this.#list();
    const texts = await Promise.all(names.map((name) => readFile(join(this.#folder, name), 'utf8').catch(() => '')));
    return texts.some((text) => text.includes(`"origin": ${JSON.stringify(origin)},`));
  }

  /** Removes all keys, but for that one; resolves with their number. */
  async signOut(but?: { key: string; origin: string }): Promise<number> {
    const kept = but === undefined ? null : nameOf(but.key, but.origin);
    const removed = (await this.#list()).filter((name) => name !== kept);
    await Promise.all(removed.map((name) => rm(join(this.#folder, name), { force: true })));
    return removed.length;
  }

  /** Calls back after other programs have added or removed keys; the returned function ends that. */
  watch(listener: () => void): () => void {
    watchFile(this.#folder, { interval: LOOK_MS, persistent: false }, listener);
    return () => unwatchFile(this.#folder, listener);
  }

  /** In milliseconds; null without such a key. */
  async #usedAt(key: string, origin: string): Promise<number | null> {
    try {
      return (await stat(this.#pathOf(key, origin))).mtimeMs;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  async #list(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => FILE.test(name));
  }

  #pathOf(key: string, origin: string): string {
    return join(this.#folder, nameOf(key, origin));
  }
}

function nameOf(key: string, origin: string): string {
  return `${createHash('sha256').update(`${origin}\n${key}`).digest('hex')}.json`;
}
