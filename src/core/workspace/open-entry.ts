/**
 * Files and folders that stay open. An entry opened below an open folder is in that folder, even if its path has another
 * target by then.
 */
import { isUtf8 } from 'node:buffer';
import {
  type BigIntStats,
  close,
  closeSync,
  constants,
  type Dirent,
  fstat,
  fstatSync,
  open,
  openSync,
  type PathLike,
  readlinkSync,
} from 'node:fs';
import { lstat, mkdir, opendir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isOnLocalDisk } from '../base/disk-lookups.ts';

const openDescriptor = promisify<PathLike, number, number>(open);
const closeDescriptor = promisify(close);
const readStats = (fd: number): Promise<BigIntStats> =>
  new Promise((resolve, reject) => {
    fstat(fd, { bigint: true }, (error, stats) => (error ? reject(error) : resolve(stats)));
  });

const IS_LINUX = process.platform === 'linux';
/** Names a file without opening its content: such an open never waits, and needs no permission to read. */
export const O_PATH = 0o10000000;
const ACCESS = IS_LINUX ? O_PATH : constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const { O_NOFOLLOW = 0, O_DIRECTORY = 0 } = constants;

/** Returns whether a folder could not be read or searched because of its permissions. */
export const isClosed = (error: unknown): boolean => (error as { code?: string }).code === 'EACCES';

/** Size of a folder from which its entries are read in parts, so that the program does other work in between. */
const LARGE_FOLDER_BYTES = 131_072n;
const ENTRIES_AT_ONCE = 1000;

/** Bytes of a name that is not UTF-8 are stored as lone surrogates, so that the name can be opened again. */
const FIRST_RAW_BYTE = 0xdc80;

function decodeName(name: Buffer): string {
  if (isUtf8(name)) return name.toString('utf8');
  return String.fromCodePoint(...Array.from(name, (byte) => (byte < 0x80 ? byte : FIRST_RAW_BYTE + byte - 0x80)));
}

/** Returns the bytes of a path whose names came from `OpenEntry.entries`. */
export function encodePath(path: string): Buffer {
  if (path.isWellFormed()) return Buffer.from(path);
  const bytes = Array.from(path, (char) => {
    const code = char.codePointAt(0)!;
    return code >= FIRST_RAW_BYTE && code < FIRST_RAW_BYTE + 0x80
      ? Buffer.of(code - FIRST_RAW_BYTE + 0x80)
      : Buffer.from(char);
  });
  return Buffer.concat(bytes);
}

/** A file, a folder or a device, open by a descriptor. The caller closes it. */
export class OpenEntry {
  readonly fd: number;
  /** The path by which it was opened. */
  readonly path: string;
  readonly stats: BigIntStats;
  /** On a local disk, entries are opened without a thread. */
  readonly isLocal: boolean;

  private constructor(fd: number, path: string, stats: BigIntStats, isLocal: boolean) {
    this.fd = fd;
    this.path = path;
    this.stats = stats;
    this.isLocal = isLocal;
  }

  /** Opens a canonical path. Returns null for a missing one, and for a link. */
  static async open(path: string): Promise<OpenEntry | null> {
    return isOnLocalDisk(path)
      ? OpenEntry.#openAtOnce(path, path, { flags: O_NOFOLLOW, device: null })
      : OpenEntry.#open(path, path, O_NOFOLLOW);
  }

  /** `device`: the one on which the folder of the entry is; null for an entry that is on a local disk. */
  static #openAtOnce(
    through: string,
    path: string,
    { flags, isStrict = false, device }: { flags: number; isStrict?: boolean; device: bigint | null },
  ): OpenEntry | null {
    let fd: number;
    try {
      fd = openSync(through.isWellFormed() ? through : encodePath(through), ACCESS | flags);
    } catch (error) {
      if (isStrict && isClosed(error)) throw error;
      return null;
    }
    const stats = fstatSync(fd, { bigint: true });
    if (!stats.isSymbolicLink()) return new OpenEntry(fd, path, stats, device === null || device === stats.dev);
    closeSync(fd);
    return null;
  }

  /** Opens the root folder of a process, which may be in another mount namespace. Linux only. */
  static openProcessRoot(pid: number): Promise<OpenEntry | null> {
    return OpenEntry.#open(`/proc/${pid}/root/`, '/', O_DIRECTORY);
  }

  static async #open(through: string, path: string, flags: number, isStrict = false): Promise<OpenEntry | null> {
    const fd = await openDescriptor(through.isWellFormed() ? through : encodePath(through), ACCESS | flags).catch(
      (error: unknown) => {
        if (isStrict && isClosed(error)) throw error;
        return null;
      },
    );
    if (fd === null) return null;
    const stats = await readStats(fd);
    if (!stats.isSymbolicLink()) return new OpenEntry(fd, path, stats, false);
    await closeDescriptor(fd);
    return null;
  }

  /** A path whose target is this entry, also after a move. */
  get through(): string {
    return IS_LINUX ? `/proc/self/fd/${this.fd}` : this.path;
  }

  isSame({ stats }: OpenEntry): boolean {
    return this.stats.dev === stats.dev && this.stats.ino === stats.ino;
  }

  /** Returns whether this entry still has the path by which it was opened. Linux only. */
  async isInPlace(): Promise<boolean> {
    // The kernel answers this without a disk.
    const path = IS_LINUX ? readlinkSync(this.through, 'buffer') : null;
    return path?.equals(encodePath(this.path)) === true;
  }

  /**
   * Opens an entry of this folder. Returns null for a missing one, and for a link. `isStrict`: throws if this folder is closed
   * to this user, who may be able to change that.
   */
  async openEntry(name: string, isStrict = false): Promise<OpenEntry | null> {
    if (name === '..' || name.includes('/')) throw new Error(`${name} is not the name of an entry`);
    // Not joined: `/proc/self/fd/N/.` is the folder, and `/proc/self/fd/N` is a link.
    const [through, path] = [`${this.through}/${name}`, join(this.path, name)];
    return this.isLocal
      ? OpenEntry.#openAtOnce(through, path, { flags: O_NOFOLLOW, isStrict, device: this.stats.dev })
      : OpenEntry.#open(through, path, O_NOFOLLOW, isStrict);
  }

  /** Returns the attributes of an entry of this folder; null for a missing one. */
  readStats(name: string): Promise<BigIntStats | null> {
    const path = `${this.through}/${name}`;
    return lstat(path.isWellFormed() ? path : encodePath(path), { bigint: true }).catch(() => null);
  }

  /**
   * Opens a path below this folder, one component after the other. Returns null if a component is missing or a link.
   * `canCreate`: creates missing folders.
   */
  async openBelow(path: string, canCreate = false): Promise<OpenEntry | null> {
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    let current = await this.openEntry('.');
    for (const name of names) {
      if (canCreate && current) await mkdir(encodePath(`${current.through}/${name}`)).catch(() => undefined);
      const next: OpenEntry | null = (await current?.openEntry(name)) ?? null;
      await current?.close();
      current = next;
    }
    return current;
  }

  /** Returns the entries of this folder; none if it cannot be read. `isStrict`: throws if it is closed to this user. */
  async entries(isStrict = false): Promise<Dirent[]> {
    try {
      if (this.stats.size > LARGE_FOLDER_BYTES) return await this.#largeEntries();
      const entries = await readdir(this.through, { withFileTypes: true });
      return entries.some(({ name }) => name.includes('\ufffd')) ? await this.#rawEntries() : entries;
    } catch (error) {
      if (isStrict && isClosed(error)) throw error;
      return [];
    }
  }

  async #largeEntries(): Promise<Dirent[]> {
    const entries: Dirent[] = [];
    for await (const entry of await opendir(this.through, { bufferSize: ENTRIES_AT_ONCE })) entries.push(entry);
    return entries.some(({ name }) => name.includes('\ufffd')) ? this.#rawEntries() : entries;
  }

  async #rawEntries(): Promise<Dirent[]> {
    const entries = await readdir(this.through, { withFileTypes: true, encoding: 'buffer' });
    return entries.map((entry) => Object.assign(entry, { name: decodeName(entry.name) }) as unknown as Dirent);
  }

  /** Returns the text of a regular file; null for anything else, and for a larger file. */
  async readText(maxBytes: number): Promise<string | null> {
    if (!this.stats.isFile() || this.stats.size > maxBytes) return null;
    return readFile(this.through, 'utf8').catch(() => null);
  }

  /** Closing a descriptor that only names an entry needs no disk. */
  async close(): Promise<void> {
    if (IS_LINUX) closeSync(this.fd);
    else await closeDescriptor(this.fd);
  }
}
