/** Files and folders that stay open: what is opened below an open folder is in it, whatever its path leads to by then. */
import { type BigIntStats, close, constants, type Dirent, fstat, open } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TriadError } from '../base/errors.ts';

const openDescriptor = promisify<string, number, number>(open);
const closeDescriptor = promisify(close);
const readStats = (fd: number): Promise<BigIntStats> =>
  new Promise((resolve, reject) => {
    fstat(fd, { bigint: true }, (error, stats) => (error ? reject(error) : resolve(stats)));
  });

const IS_LINUX = process.platform === 'linux';
/** Names a file without opening its content: such an open never waits, and needs no permission to read. */
const O_PATH = 0o10000000;
const ACCESS = IS_LINUX ? O_PATH : constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const { O_NOFOLLOW = 0, O_DIRECTORY = 0 } = constants;

/** Returns whether a folder could not be read or searched because of its permissions. */
export const isClosed = (error: unknown): boolean => (error as { code?: string }).code === 'EACCES';

/** A file, a folder or a device, open by a descriptor. The caller closes it. */
export class OpenEntry {
  readonly fd: number;
  /** The path by which it was opened. */
  readonly path: string;
  readonly stats: BigIntStats;

  private constructor(fd: number, path: string, stats: BigIntStats) {
    this.fd = fd;
    this.path = path;
    this.stats = stats;
  }

  /** Opens a canonical path. Returns null for a missing one, and for a link. */
  static open(path: string): Promise<OpenEntry | null> {
    return OpenEntry.#open(path, path, O_NOFOLLOW);
  }

  /** Opens the root folder of a process, which may be in a mount namespace of its own. Linux only. */
  static openRootOf(pid: number): Promise<OpenEntry | null> {
    return OpenEntry.#open(`/proc/${pid}/root/`, '/', O_DIRECTORY);
  }

  static async #open(through: string, path: string, flags: number, isStrict = false): Promise<OpenEntry | null> {
    const fd = await openDescriptor(through, ACCESS | flags).catch((error: unknown) => {
      if (isStrict && isClosed(error)) throw error;
      return null;
    });
    if (fd === null) return null;
    const stats = await readStats(fd);
    if (!stats.isSymbolicLink()) return new OpenEntry(fd, path, stats);
    await closeDescriptor(fd);
    return null;
  }

  /** A path that leads to this entry, also after it was moved. */
  get through(): string {
    return IS_LINUX ? `/proc/self/fd/${this.fd}` : this.path;
  }

  isSame({ stats }: OpenEntry): boolean {
    return this.stats.dev === stats.dev && this.stats.ino === stats.ino;
  }

  /** Returns whether this entry still has the path by which it was opened. Linux only. */
  async isInPlace(): Promise<boolean> {
    return (await readlink(this.through).catch(() => null)) === this.path;
  }

  /**
   * Opens an entry of this folder. Returns null for a missing one, and for a link. `isStrict`: throws if this folder is closed
   * to this user, who may be able to change that.
   */
  openEntry(name: string, isStrict = false): Promise<OpenEntry | null> {
    if (name === '..' || name.includes('/')) throw new Error(`${name} is not the name of an entry`);
    // Not joined: `/proc/self/fd/N/.` is the folder, and `/proc/self/fd/N` is a link.
    return OpenEntry.#open(`${this.through}/${name}`, join(this.path, name), O_NOFOLLOW, isStrict);
  }

  /** Opens a path below this folder, one component after the other. Returns null if a component is missing or a link. */
  async openBelow(path: string): Promise<OpenEntry | null> {
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    let current = await this.openEntry('.');
    for (const name of names) {
      const next: OpenEntry | null = (await current?.openEntry(name)) ?? null;
      await current?.close();
      current = next;
    }
    return current;
  }

  /** Returns the entries of this folder; none if it cannot be read. `isStrict`: throws if it is closed to this user. */
  entries(isStrict = false): Promise<Dirent[]> {
    return readdir(this.through, { withFileTypes: true }).catch((error: unknown): Dirent[] => {
      if (isStrict && isClosed(error)) throw error;
      return [];
    });
  }

  /** Returns the text of a regular file; null for anything else, and for a larger file. */
  async readText(maxBytes: number): Promise<string | null> {
    if (!this.stats.isFile() || this.stats.size > maxBytes) return null;
    return readFile(this.through, 'utf8').catch(() => null);
  }

  close(): Promise<void> {
    return closeDescriptor(this.fd);
  }
}

/** The identity of each workspace folder, from its first use to the end of the process. */
export class PinnedFolders {
  readonly #identities = new Map<string, string>();

  /** Opens a folder by its canonical path. Throws `not_allowed` if it is a link, or another folder than before. */
  async open(path: string): Promise<OpenEntry> {
    const folder = await OpenEntry.open(path);
    const identity = folder?.stats.isDirectory() ? `${folder.stats.dev}:${folder.stats.ino}` : null;
    const pinned = this.#identities.get(path) ?? identity;
    if (folder && identity !== null && identity === pinned) {
      this.#identities.set(path, identity);
      return folder;
    }
    await folder?.close();
    throw new TriadError(
      'not_allowed',
      `${path} is not the folder that it was when the program first used it: restart the program if you replaced it`,
    );
  }
}
