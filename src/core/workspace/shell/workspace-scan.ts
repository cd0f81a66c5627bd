/** Finds what a command must not see or change in a workspace: secrets, Triad's own files, hooks and settings of git. */
import type { Dirent } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { TriadError } from '../../base/errors.ts';
import { protectedFiles } from '../hard-links.ts';
import { isClosed, type OpenEntry } from '../open-entry.ts';
import { isInside, isOwn, type Workspace } from '../reach.ts';
import { isSecret, isSecretFolder } from '../secret-names.ts';
import { closeMounts, noMounts, type WorkspaceMounts } from './mounts.ts';
import { addRepository } from './repository-mounts.ts';

/** Maximum number of entries that are looked at. */
const MAX_ENTRIES = 200_000;
/** Maximum number of mounts. Bubblewrap takes 9000 arguments, of which a mount needs 3. */
const MAX_MOUNTS = 2000;
/** Maximum size of a path that is looked at. Paths of git directories are longer, and Linux mounts none of 4096 bytes. */
const MAX_PATH_BYTES = 1500;
/** Folders that are read at a time. */
const CONCURRENCY = 32;
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

/**
 * Scans an open workspace folder without following links. `writesGit`: commands may write what git stores. Throws
 * `limit_reached` if the workspace is too large to be scanned, and `not_allowed` if it belongs to Triad.
 */
export async function scanWorkspace(
  root: OpenEntry,
  workspace: Workspace,
  writesGit: boolean,
): Promise<WorkspaceMounts> {
  if (isOwn(workspace, root.path)) throw new TriadError('not_allowed', `${root.path} belongs to Triad itself`);
  const { patterns } = workspace.secrets;
  const mounts = noMounts();
  const unmovable = new Set<string>();
  /** Elsewhere the next command could read it. */
  const keepInPlace = (path: string): void => {
    for (let folder = dirname(path); folder !== root.path && isInside(root.path, folder); folder = dirname(folder))
      unmovable.add(folder);
  };
  const hide = (entry: OpenEntry): void => {
    keepInPlace(entry.path);
    (entry.stats.isDirectory() ? mounts.hiddenFolders : mounts.hiddenFiles).push(entry);
  };
  try {
    const linkedFiles = await findLinkedFiles(workspace);
    const visit = async (folder: OpenEntry, dirent: Dirent): Promise<boolean> => {
      const { name } = dirent;
      const path = join(folder.path, name);
      const shownPath = relative(root.path, path);
      if (dirent.isSymbolicLink()) return false;
      refuseCrowd(root.path, mounts, unmovable.size);
      const isTooLong = dirent.isDirectory() && Buffer.byteLength(path) > MAX_PATH_BYTES;
      const isOwnPath = isOwn(workspace, path) || name.toLowerCase() === '.triad';
      const isHiddenName = isSecretFolder(shownPath) || (!dirent.isDirectory() && isSecret(shownPath, patterns));
      if (isOwnPath || isHiddenName || isTooLong || dirent.isSocket()) {
        // In `node_modules`, in `.git` and under some other paths the next scan would not find it.
        const entry = await folder.openEntry(name, true);
        if (entry) hide(entry);
        return false;
      }
      if (name === '.git') {
        const entry = await folder.openEntry(name, true);
        if (entry) {
          keepInPlace(path);
          await addRepository(entry, mounts, writesGit);
        }
      } else if (!dirent.isDirectory() && linkedFiles.size > 0) {
        const entry = await folder.openEntry(name, true);
        if (entry && linkedFiles.has(`${entry.stats.dev}:${entry.stats.ino}`)) hide(entry);
        else await entry?.close();
      }
      return dirent.isDirectory() && (linkedFiles.size > 0 ? name !== '.git' : !SKIPPED.has(name));
    };
    // A command could open a closed folder again, whose secrets the scan did not find.
    await walk(root, visit, hide);
    const folders = [...unmovable].map((path) => root.openBelow(relative(root.path, path)));
    mounts.unmovable.push(...(await Promise.all(folders)).filter((folder) => folder !== null));
    refuseCrowd(root.path, mounts, 0);
    return mounts;
  } catch (error) {
    await closeMounts(mounts);
    throw error;
  }
}

async function findLinkedFiles(workspace: Workspace): Promise<ReadonlySet<string>> {
  const files = await protectedFiles(workspace);
  if (files !== null) return files;
  throw new TriadError('limit_reached', 'There are too many files to be sure that no command reads a secret');
}

function refuseCrowd(path: string, mounts: WorkspaceMounts, more: number): void {
  const { readOnly, unmovable, hiddenFolders, hiddenFiles, empty } = mounts;
  const all = [readOnly, unmovable, hiddenFolders, hiddenFiles, empty];
  if (all.reduce((sum, { length }) => sum + length, more) > MAX_MOUNTS)
    throw new TriadError(
      'limit_reached',
      `${path} has too many secrets and repositories for a sandbox: delete those that are not needed`,
    );
}

interface OpenParent {
  folder: OpenEntry;
  /** Number of its folders that are still to be visited. */
  pending: number;
  /** Whether this user cannot read or search it. */
  isClosed: boolean;
}

/**
 * Visits every entry below an open folder. `visit` returns whether to go on into an entry that is a folder. `takeClosed` gets
 * each folder that this user cannot read or search, and closes it.
 */
export async function walk(
  root: OpenEntry,
  visit: (folder: OpenEntry, entry: Dirent) => Promise<boolean>,
  takeClosed: (folder: OpenEntry) => void,
): Promise<void> {
  let entriesLeft = MAX_ENTRIES;
  // The last folders come first, so that few parents are open.
  const stack: { parent: OpenParent; name: string }[] = [];
  const release = async (parent: OpenParent): Promise<void> => {
    parent.pending -= 1;
    if (parent.pending === 0 && parent.folder !== root && !parent.isClosed) await parent.folder.close();
  };
  const refuse = (parent: OpenParent, error: unknown): void => {
    if (!isClosed(error) || parent.folder === root) throw error;
    if (!parent.isClosed) takeClosed(parent.folder);
    parent.isClosed = true;
  };
  const visitFolder = async (folder: OpenEntry): Promise<void> => {
    const parent = { folder, pending: 1, isClosed: false };
    try {
      const entries = await folder.entries(true);
      entriesLeft -= entries.length;
      if (entriesLeft < 0)
        throw new TriadError(
          'limit_reached',
          `${root.path} has more than ${MAX_ENTRIES} entries: too many to be sure that no command reads a secret there`,
        );
      for (const entry of entries) {
        if (!(await visit(folder, entry))) continue;
        parent.pending += 1;
        stack.push({ parent, name: entry.name });
      }
    } catch (error) {
      refuse(parent, error);
    } finally {
      await release(parent);
    }
  };
  const work = async (): Promise<void> => {
    for (let next = stack.pop(); next; next = stack.pop()) {
      try {
        const folder = await next.parent.folder.openEntry(next.name, true);
        if (folder) await visitFolder(folder);
      } catch (error) {
        refuse(next.parent, error);
      } finally {
        await release(next.parent);
      }
    }
  };
  await visitFolder(root);
  let failure: { error: unknown } | null = null;
  while (stack.length > 0 && failure === null) {
    const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, work));
    const rejected = results.find((result) => result.status === 'rejected');
    if (rejected) failure = { error: rejected.reason };
  }
  for (const { parent } of stack) await release(parent);
  if (failure) throw failure.error;
}
