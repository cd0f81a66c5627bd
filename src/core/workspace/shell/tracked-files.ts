/** Secrets that git stores: commands read them in the objects of git anyway, and git needs them in the folder. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Git } from '../git.ts';
import type { OpenEntry } from '../open-entry.ts';
import { type Checkout, readWithOwnDirectory } from '../own-git-directory.ts';
import { isInside } from '../reach.ts';
import type { WorkspaceMounts } from './mounts.ts';

/** Maximum size of a secret that is compared, in bytes. */
const MAX_BYTES = 1024n * 1024n;
/** Maximum length of all paths in one call of git. */
const MAX_ARGUMENT_CHARS = 100_000;

interface TrackedFilesOptions {
  git: Git;
  /** The checkout around the workspace; null if it is not in a repository that is outside. */
  outer: Checkout | null;
  /** Returns whether Triad owns a file, which then stays hidden. */
  isOwn: (path: string) => boolean;
}

export class TrackedFiles {
  readonly #git: Git;
  readonly #outer: readonly Checkout[];
  readonly #isOwn: (path: string) => boolean;

  constructor({ git, outer, isOwn }: TrackedFilesOptions) {
    this.#git = git;
    this.#outer = outer ? [outer] : [];
    this.#isOwn = isOwn;
  }

  /**
   * Removes and closes the hidden files whose content equals that in the index of their repository. A command that plants an
   * index entry has the content already. `repositories`: paths of `.git`.
   */
  async show(mounts: WorkspaceMounts, repositories: readonly string[]): Promise<void> {
    const inside = repositories.map((gitFolder) => ({ folder: dirname(gitFolder), gitFolder }));
    const files = new Map<Checkout, OpenEntry[]>();
    for (const entry of mounts.hiddenFiles) {
      if (!entry.path.isWellFormed() || this.#isOwn(entry.path)) continue;
      const checkout = findNearest([...inside, ...this.#outer], entry.path);
      if (checkout !== null) files.set(checkout, [...(files.get(checkout) ?? []), entry]);
    }
    for (const entry of mounts.hiddenFolders.filter(({ path }) => basename(path).toLowerCase() === '.triad')) {
      const checkout = findNearest([...inside, ...this.#outer], entry.path);
      if (checkout && !this.#isOwn(entry.path)) await this.#showFolder(checkout, entry, mounts);
    }
    const tracked = new Set<OpenEntry>();
    for (const [checkout, entries] of files)
      for (const entry of await this.#findTracked(checkout, entries)) tracked.add(entry);
    if (tracked.size === 0) return;
    mounts.hiddenFiles = mounts.hiddenFiles.filter((entry) => !tracked.has(entry));
    await Promise.all([...tracked].map((entry) => entry.close()));
  }

  /** Shows the files of a folder that git stores, read only. Otherwise git reports them as deleted. */
  async #showFolder(checkout: Checkout, folder: OpenEntry, mounts: WorkspaceMounts): Promise<void> {
    const ids = await this.#readIndex(checkout, [folder]).catch(() => new Map<string, string>());
    if (ids.size === 0) return;
    const hideRest = async (parent: OpenEntry): Promise<void> => {
      for (const { name } of await parent.entries(true)) {
        const entry = await parent.openEntry(name, true);
        if (!entry) continue;
        const id = ids.get(relative(checkout.folder, entry.path));
        const isShared = [...ids.keys()].some((path) => isInside(entry.path, join(checkout.folder, path)));
        if (id !== undefined && (await isStored(entry, id))) await entry.close();
        else if (entry.stats.isDirectory() && isShared && !this.#isOwn(entry.path)) {
          await hideRest(entry);
          await entry.close();
        } else (entry.stats.isDirectory() ? mounts.hiddenFolders : mounts.hiddenFiles).push(entry);
      }
    };
    mounts.hiddenFolders = mounts.hiddenFolders.filter((entry) => entry !== folder);
    mounts.readOnly.push(folder);
    await hideRest(folder);
  }

  async #findTracked(checkout: Checkout, entries: readonly OpenEntry[]): Promise<OpenEntry[]> {
    const { folder } = checkout;
    const ids = await this.#readIndex(checkout, entries).catch(() => new Map<string, string>());
    const found = entries.map(async (entry) => {
      const id = ids.get(relative(folder, entry.path));
      if (id === undefined) return [];
      return (await isStored(entry, id)) ? [entry] : [];
    });
    return (await Promise.all(found)).flat();
  }

  /** Returns the ids of the content by path. */
  async #readIndex(checkout: Checkout, entries: readonly OpenEntry[]): Promise<Map<string, string>> {
    const paths = entries.map(({ path }) => relative(checkout.folder, path));
    const isLong = paths.reduce((sum, { length }) => sum + length, 0) > MAX_ARGUMENT_CHARS;
    const args = ['--literal-pathspecs', 'ls-files', '--stage', '-z', '--', ...(isLong ? [] : paths)];
    const output = await readWithOwnDirectory(this.#git, checkout, { args, needsObjects: false });
    const lines = output.toString('utf8').split('\0');
    // Mode, id and stage; other stages are those of a merge that is in progress.
    const matches = lines.map((line) => /^100\d{3} ([0-9a-f]{40}) 0\t(.+)$/s.exec(line));
    return new Map(matches.flatMap((match) => (match ? [[match[2]!, match[1]!] as const] : [])));
  }
}

/** Returns the checkout whose folder is the deepest one around a path. An outer one comes after one of the same folder. */
function findNearest(checkouts: readonly Checkout[], path: string): Checkout | null {
  const around = checkouts.filter(({ folder }) => isInside(folder, path));
  return around.reduce<Checkout | null>(
    (best, one) => (best === null || one.folder.length >= best.folder.length ? one : best),
    null,
  );
}

async function isStored(entry: OpenEntry, id: string): Promise<boolean> {
  if (!entry.stats.isFile() || entry.stats.nlink > 1n || entry.stats.size > MAX_BYTES) return false;
  const content = await readFile(entry.through).catch(() => null);
  return content !== null && hashBlob(content) === id;
}

function hashBlob(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
