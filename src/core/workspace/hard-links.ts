/** Files that may be opened under no name at all: a hard link gives one a harmless name. */
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { isSecret, SECRET_FOLDERS } from './secret-names.ts';
import type { Workspace } from './reach.ts';

/** Most entries of folders that are looked through. */
const MAX_ENTRIES = 200_000;
const PASSED_OVER: ReadonlySet<string> = new Set(['node_modules', '.git']);
const NONE: ReadonlySet<string> = new Set();

/**
 * The files of the program's own and those that hold keys, in the workspace and in the usual places of the person's
 * home, which have several names: as `device:inode`. Null where there is too much to look through.
 */
export async function protectedFiles({ folder, own, secrets }: Workspace): Promise<ReadonlySet<string> | null> {
  const home = homedir();
  const left = { entries: MAX_ENTRIES };
  const found = new Set<string>();
  const places: Place[] = [
    ...own.map((place) => ({ folder: place, deep: true, passedOver: NONE, isProtected: () => true })),
    {
      folder,
      deep: true,
      passedOver: PASSED_OVER,
      isProtected: (path) => isSecret(shown(folder, path), secrets.patterns),
    },
    {
      folder: home,
      deep: false,
      passedOver: NONE,
      isProtected: (path) => isSecret(shown(home, path), secrets.patterns),
    },
    ...SECRET_FOLDERS.map((name) => ({
      folder: join(home, name),
      deep: true,
      passedOver: NONE,
      isProtected: () => true,
    })),
  ];
  for (const place of places) if (!(await collect(place, left, found))) return null;
  return found;
}

interface Place {
  folder: string;
  /** Whether the folders in it count too. */
  deep: boolean;
  /** Names of folders that are not looked into. */
  passedOver: ReadonlySet<string>;
  isProtected(path: string): boolean;
}

/** False where there is too much. A folder that cannot be read has nothing that could be compared. */
async function collect(place: Place, left: { entries: number }, found: Set<string>): Promise<boolean> {
  const folders = [place.folder];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
    left.entries -= entries.length;
    if (left.entries < 0) return false;
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (place.deep && !place.passedOver.has(entry.name)) folders.push(path);
      } else if (entry.isFile() && place.isProtected(path)) {
        const stats = await lstat(path, { bigint: true }).catch(() => null);
        if (stats && stats.nlink > 1n) found.add(`${stats.dev}:${stats.ino}`);
      }
    }
  }
  return true;
}

function shown(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}
