/** Files that may be opened under no name at all: a hard link gives one a harmless name. */
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { getSecretFolders, isSecret } from './secret-names.ts';
import type { Workspace } from './reach.ts';

/** Most entries of folders that are looked through. */
const MAX_ENTRIES = 500_000;
/** Caches of package managers hold no secrets, and have hard links to the packages in workspaces. */
const CACHES: ReadonlySet<string> = new Set(['caches']);
const PASSED_OVER: ReadonlySet<string> = new Set(['node_modules', '.git']);
const NONE: ReadonlySet<string> = new Set();

/**
 * The files of the program's own and those that hold keys, in the workspace and in the usual places of the person's
 * home, which have several names: as `device:inode`. Null where there is too much to look through.
 */
export async function protectedFiles(workspace: Workspace): Promise<ReadonlySet<string> | null> {
  const { folder } = workspace;
  return collectAll([
    ...outsidePlaces(workspace),
    {
      folder,
      deep: true,
      passedOver: PASSED_OVER,
      isProtected: (path) => isSecret(workspace, path),
    },
  ]);
}

/** The same without the workspace. */
export async function protectedFilesOutside(workspace: Workspace): Promise<ReadonlySet<string> | null> {
  return collectAll(outsidePlaces(workspace));
}

function outsidePlaces({ own, secrets }: Workspace): Place[] {
  const home = homedir();
  return [
    ...own.map((folder) => ({ folder, deep: true, passedOver: CACHES, isProtected: () => true })),
    {
      folder: home,
      deep: false,
      passedOver: NONE,
      isProtected: (path) => isSecret({ folder: home, secrets }, path),
    },
    ...getSecretFolders().map((name) => ({
      folder: join(home, name),
      deep: true,
      passedOver: NONE,
      isProtected: () => true,
    })),
  ];
}

async function collectAll(places: readonly Place[]): Promise<ReadonlySet<string> | null> {
  const left = { entries: MAX_ENTRIES };
  const found = new Set<string>();
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
