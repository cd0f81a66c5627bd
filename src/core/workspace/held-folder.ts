/** An open folder of the workspace: files that are opened in it are in it, also if its path has another target by then. Waits for the disk, so it is for threads of their own. */
import { closeSync, constants, type Dirent, existsSync, fstatSync, lstatSync, openSync } from 'node:fs';
import { readdirSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { join, relative } from 'node:path';
import { O_PATH } from './open-entry.ts';
import { isInside, isOwn, type Workspace } from './reach.ts';
import { readFolderIdSync } from './roots.ts';

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

  /**
   * Returns null for anything but a folder, for a path outside or of the program's own, behind a link, and if the workspace
   * was replaced. The caller closes it.
   */
  static open(workspace: Workspace, path: string): HeldFolder | null {
    if (!isInside(workspace.folder, path) || isOwn(workspace, path)) return null;
    if (process.platform !== 'linux')
      return isThere(path) && readFolderIdSync(workspace.folder) === workspace.root
        ? new HeldFolder(workspace, path, null)
        : null;
    const fd = openBelow(workspace, path);
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

/** Opens a folder below the pinned root; null if it is missing. The caller checks that no link led elsewhere. */
function openBelow({ folder, root }: Workspace, path: string): number | null {
  const top = orNull(() => openSync(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  if (top === null) return null;
  try {
    const { dev, ino } = fstatSync(top, { bigint: true });
    if (`${dev}:${ino}` !== root) return null;
    const below = `/proc/self/fd/${top}/${relative(folder, path) || '.'}`;
    return orNull(() => openSync(below, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  } finally {
    closeSync(top);
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
