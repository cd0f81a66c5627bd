/** The root folder of a workspace: pinned by device and inode, and opened by descriptor. */
import { type BigIntStats, lstatSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { codeOf, TriadError } from '../base/errors.ts';
import { findRealPath, isOnLocalDisk } from '../base/disk-lookups.ts';
import { OpenEntry } from './open-entry.ts';
import type { FolderId, Workspace } from './reach.ts';

type PinnedFolder = Pick<Workspace, 'folder' | 'root'>;

/** Elsewhere folders are compared before their use, because the system opens nothing below a descriptor. */
const IS_LINUX = process.platform === 'linux';

const formatId = (stats: BigIntStats | undefined): FolderId | null =>
  stats?.isDirectory() ? `${stats.dev}:${stats.ino}` : null;

/** Returns the identity of a folder by its canonical path; null for anything else, such as a link. */
export async function readFolderId(path: string): Promise<FolderId | null> {
  if (isOnLocalDisk(path)) return readFolderIdSync(path);
  return formatId(await lstat(path, { bigint: true }).catch(() => undefined));
}

/** Returns the same at once. The caller may wait for the disk. */
export function readFolderIdSync(path: string): FolderId | null {
  return formatId(lstatSync(path, { bigint: true, throwIfNoEntry: false }));
}

/** An open root folder. The caller closes it. */
export class Root {
  readonly folder: string;
  /** Null where nothing is opened by descriptor. */
  readonly entry: OpenEntry | null;

  private constructor(folder: string, entry: OpenEntry | null) {
    this.folder = folder;
    this.entry = entry;
  }

  /** Throws `not_allowed` if another folder or a link has the path now, and `not_found` if nothing has it. */
  static async open({ folder, root }: PinnedFolder): Promise<Root> {
    const entry = IS_LINUX ? await OpenEntry.open(folder) : null;
    const id = IS_LINUX ? formatId(entry?.stats) : await readFolderId(folder);
    // A folder above may be a link now.
    if (id !== null && id === root && (!entry || (await entry.isInPlace()))) return new Root(folder, entry);
    await entry?.close();
    throw await describeReplacement(folder);
  }

  /** Returns a path that leads to `path` in the open folder. `path`: absolute, in the folder. */
  through(path: string): string {
    return this.entry ? join(this.entry.through, relative(this.folder, path)) : path;
  }

  async close(): Promise<void> {
    await this.entry?.close();
  }
}

/** Runs work with the open root folder of a workspace. Throws what `Root.open` throws. */
export async function withRoot<T>(workspace: PinnedFolder, work: (root: Root) => Promise<T>): Promise<T> {
  const root = await Root.open(workspace);
  try {
    return await work(root);
  } finally {
    await root.close();
  }
}

/** Returns the error for a folder that is not the pinned one any more. */
export async function describeReplacement(folder: string): Promise<TriadError> {
  const isMissing = await lstat(folder).then(
    () => false,
    (error: unknown) => codeOf(error) === 'ENOENT',
  );
  return isMissing
    ? new TriadError('not_found', `The workspace folder ${folder} does not exist`)
    : new TriadError(
        'not_allowed',
        `${folder} was replaced by another folder. Tools reach only the folder that had this path first`,
      );
}

/** The identity of each workspace folder, from its first use to the end of the process. */
export class PinnedFolders {
  readonly #pinned = new Map<string, FolderId>();
  /** Identities about which the person was asked, by path. */
  readonly #asked = new Map<string, FolderId>();

  /** Returns the pinned identity of a folder, which its first use pins; empty for a folder that is missing then. */
  async pin(folder: string): Promise<FolderId> {
    const before = this.#pinned.get(folder);
    if (before !== undefined) return before;
    const isCanonical = (await findRealPath(folder)) === folder;
    const id = isCanonical ? await readFolderId(folder) : null;
    // Another call may have pinned it meanwhile.
    const pinned = this.#pinned.get(folder) ?? id;
    if (pinned !== null) this.#pinned.set(folder, pinned);
    return pinned ?? '';
  }

  /** Throws what `Root.open` throws for a folder that is pinned. */
  async check(folder: string): Promise<void> {
    const root = this.#pinned.get(folder);
    if (root !== undefined && (await readFolderId(folder)) !== root) throw await describeReplacement(folder);
  }

  /**
   * Runs work that reads a folder by its path. Returns null if another folder has the path before or after the work. Pins a
   * new folder.
   */
  async read<T>(folder: string, work: () => Promise<T>): Promise<T | null> {
    await this.pin(folder);
    if (await this.isReplaced(folder)) return null;
    const result = await work();
    return (await this.isReplaced(folder)) ? null : result;
  }

  /** Returns whether another folder, or a link, has the path of a pinned one. */
  async isReplaced(folder: string): Promise<boolean> {
    return this.check(folder).then(
      () => false,
      (error: unknown) => error instanceof TriadError && error.code === 'not_allowed',
    );
  }

  /** Returns the identity of the folder that replaced a pinned one; null if there is none that the person can choose. */
  async findReplacement(folder: string): Promise<FolderId | null> {
    if (!(await this.isReplaced(folder))) return null;
    const isCanonical = (await findRealPath(folder)) === folder;
    const id = isCanonical ? await readFolderId(folder) : null;
    return id === this.#pinned.get(folder) ? null : id;
  }

  /** Returns whether the person was not asked about this replacement yet, and counts it as asked. */
  startAsking(folder: string, id: FolderId): boolean {
    if (this.#asked.get(folder) === id) return false;
    this.#asked.set(folder, id);
    return true;
  }

  /** Lets the person be asked again, because they did not answer. */
  stopAsking(folder: string): void {
    this.#asked.delete(folder);
  }

  /** Pins the folder that replaced another one. */
  useReplacement(folder: string, id: FolderId): void {
    this.#pinned.set(folder, id);
    this.#asked.delete(folder);
  }
}
