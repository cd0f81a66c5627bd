/** A folder of the workspace in hand: what is opened in it lies in it, whatever its name comes to mean meanwhile. Waits for the disk, so it is for threads of their own. */
import { closeSync, constants, type Dirent, existsSync, fstatSync, lstatSync, openSync } from 'node:fs';
import { readdirSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isInside, isOwn, type Workspace } from './reach.ts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY } = constants;

export class HeldFolder {
  readonly path: string;
  readonly #workspace: Workspace;
  /** Null where the system names nothing that is open; there paths are compared behind each opening. */
  readonly #fd: number | null;
  readonly #through: string;

  private constructor(workspace: Workspace, path: string, fd: number | null) {
    this.#workspace = workspace;
    this.path = path;
    this.#fd = fd;
    this.#through = fd === null ? path : `/proc/self/fd/${fd}`;
  }

  /** Null for what is no folder, lies outside or is the program's own, and where a link stands on the way. The caller closes it. */
  static open(workspace: Workspace, path: string): HeldFolder | null {
    if (!isInside(workspace.folder, path) || isOwn(workspace, path)) return null;
    if (process.platform !== 'linux') return isThere(path) ? new HeldFolder(workspace, path, null) : null;
    const fd = orNull(() => openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    if (fd === null) return null;
    if (orNull(() => readlinkSync(`/proc/self/fd/${fd}`)) === path) return new HeldFolder(workspace, path, fd);
    closeSync(fd);
    return null;
  }

  entries(): Dirent[] {
    return orNull(() => readdirSync(this.#through, { withFileTypes: true })) ?? [];
  }

  has(name: string): boolean {
    return existsSync(join(this.#through, name));
  }

  /** Null for what is no regular file, may not be read, or is the program's own. Never waits for a pipe. The caller closes it. */
  openFile(name: string): { fd: number; stats: Stats } | null {
    if (isOwn(this.#workspace, join(this.path, name))) return null;
    const fd = orNull(() => openSync(join(this.#through, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    if (fd === null) return null;
    const stats = fstatSync(fd);
    if (stats.isFile() && (this.#fd !== null || isStill(join(this.path, name), stats))) return { fd, stats };
    closeSync(fd);
    return null;
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
  }
}

const isThere = (path: string): boolean => orNull(() => realpathSync(path)) === path;

/** Whether what was opened by this path is what has it, without a link on the way. */
function isStill(path: string, { dev, ino }: Stats): boolean {
  const there = orNull(() => lstatSync(path));
  return isThere(path) && there?.dev === dev && there.ino === ino;
}

function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
