/** Finds the files of a workspace that a command must not see or change: secrets, files of Triad, hooks and settings of git. */
import type { BigIntStats, Dirent } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TriadError } from '../../base/errors.ts';
import { protectedFilesOutside } from '../hard-links.ts';
import { isClosed, type OpenEntry } from '../open-entry.ts';
import { isInside, isOwn, type Workspace } from '../reach.ts';
import { canBeSecret, findSecretFolder, isSecret } from '../secret-names.ts';
import { openLinkedRepository } from './git-links.ts';
import { closeMounts, createMounts, type WorkspaceMounts } from './mounts.ts';
import { addRepository, type IsFromCommand } from './repository-mounts.ts';
import type { TrackedFiles } from './tracked-files.ts';

/** Maximum number of entries in a scan. */
const MAX_ENTRIES = 500_000;
/** Maximum number of mounts. Bubblewrap takes 9000 arguments, of which a mount needs 3. */
const MAX_MOUNTS = 2000;
/** Maximum number of entries that are open during the scan, some of which git may store. */
const MAX_OPEN = 5 * MAX_MOUNTS;
/** Maximum size of a path in a scan. Paths of git directories are longer, and Linux mounts none of 4096 bytes. */
const MAX_PATH_BYTES = 1500;
/** Folders that are read at a time. */
const CONCURRENCY = 32;
/** Number of entries in a scan before the program does other work. */
const ENTRIES_PER_TURN = 1000;
/** Maximum number of names whose classification is cached. */
const MAX_CACHED_NAMES = 20_000;
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

export interface ScanOptions {
  /** Commands may write what git stores. */
  writesGit: boolean;
  /** Finds secrets that git stores; null if all secrets are hidden. */
  tracked: TrackedFiles | null;
  /** Repositories that a command made are not protected. */
  isFromCommand: IsFromCommand;
}

/**
 * Scans an open workspace folder without following links. Throws `limit_reached` if the workspace is too large to be scanned,
 * and `not_allowed` if it belongs to Triad.
 */
export async function scanWorkspace(
  root: OpenEntry,
  workspace: Workspace,
  options: ScanOptions,
): Promise<WorkspaceMounts> {
  if (isOwn(workspace, root.path)) throw new TriadError('not_allowed', `${root.path} belongs to Triad itself`);
  const secretProgram = findSecretFolder(root.path);
  if (secretProgram !== null)
    throw new TriadError(
      'not_allowed',
      `${root.path} holds keys or passwords of ${secretProgram}: no command runs there`,
    );
  const outside = await protectedFilesOutside(workspace);
  if (outside === null)
    throw new TriadError(
      'limit_reached',
      `Triad's own folders have more than ${MAX_ENTRIES} entries: delete old sessions and snapshots`,
    );
  const scan = await scanOnce(
    root,
    workspace,
    options,
    outside.size === 0 ? null : (stats) => outside.has(formatId(stats)),
  );
  const linked = scan.mounts.hiddenFiles.filter(({ stats }) => stats.nlink > 1n && !outside.has(formatId(stats)));
  // The other names of a secret may be harmless. In a closed folder, which a command may have closed, names are unknown.
  const ids = new Set([...outside, ...linked.map(({ stats }) => formatId(stats))]);
  const isLinked = scan.hasClosedFolder ? hasSeveralNames : (stats: BigIntStats) => ids.has(formatId(stats));
  if (linked.length === 0 && !scan.hasClosedFolder) return finishScan(root, scan, options.tracked);
  await closeMounts(scan.mounts);
  return finishScan(root, await scanOnce(root, workspace, options, isLinked), options.tracked);
}

const formatId = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;
const hasSeveralNames = ({ nlink }: BigIntStats): boolean => nlink > 1n;

interface Scan {
  mounts: WorkspaceMounts;
  /** Paths of `.git`. */
  repositories: string[];
  /** Paths of the git directories that must not be moved. */
  fixed: string[];
  /** True if the scan could not read a folder whose permissions a command can change. */
  hasClosedFolder: boolean;
}

/** Returns a function that decides by name and kind whether an entry of a folder is hidden. */
function composeIsHidden(root: OpenEntry, workspace: Workspace): (folder: OpenEntry, entry: Dirent) => boolean {
  const { patterns } = workspace.secrets;
  const hasOwn = workspace.own.some((folder) => isInside(root.path.toLowerCase(), folder.toLowerCase()));
  const isCandidate = cacheByName((name) => name.toLowerCase() === '.triad' || canBeSecret(name));
  return (folder, entry) => {
    const { name } = entry;
    const isFolder = entry.isDirectory();
    if (entry.isSocket()) return true;
    const path = join(folder.path, name);
    if (isFolder && Buffer.byteLength(path) > MAX_PATH_BYTES) return true;
    if (hasOwn && isOwn(workspace, path)) return true;
    if (!isCandidate(name) && (isFolder || patterns.length === 0)) return false;
    if (name.toLowerCase() === '.triad') return true;
    return findSecretFolder(path) !== null || (!isFolder && isSecret(workspace, path));
  };
}

/** `isLinked`: returns whether a file must be hidden under every name; null if there is no such file. */
async function scanOnce(
  root: OpenEntry,
  workspace: Workspace,
  { writesGit, isFromCommand }: ScanOptions,
  isLinked: ((stats: BigIntStats) => boolean) | null,
): Promise<Scan> {
  const mounts = createMounts();
  const scan: Scan = { mounts, repositories: [], fixed: [], hasClosedFolder: false };
  const isHidden = composeIsHidden(root, workspace);
  const hide = (entry: OpenEntry): void => {
    (entry.stats.isDirectory() ? mounts.hiddenFolders : mounts.hiddenFiles).push(entry);
    if (countMounts(mounts) > MAX_OPEN) throw refuseCrowd(root.path, mounts);
  };
  const takeClosed = (folder: OpenEntry): void => {
    hide(folder);
    if (folder.stats.uid === BigInt(process.getuid?.() ?? -1)) scan.hasClosedFolder = true;
  };
  const hideNamed = async (folder: OpenEntry, name: string): Promise<boolean> => {
    const entry = await folder.openEntry(name, true);
    if (entry) hide(entry);
    return false;
  };
  const hideLinked = async (folder: OpenEntry, name: string): Promise<boolean> => {
    const stats = await folder.readStats(name);
    return stats !== null && isLinked!(stats) ? hideNamed(folder, name) : false;
  };
  const protectRepository = async (folder: OpenEntry): Promise<boolean> => {
    const entry = await folder.openEntry('.git', true);
    if (!entry) return false;
    scan.repositories.push(entry.path);
    if (writesGit && folder !== root && isFromCommand(entry.stats)) await entry.close();
    else {
      scan.fixed.push(entry.path);
      await addRepository(entry, mounts, writesGit, isFromCommand);
    }
    return false;
  };
  const visit = (folder: OpenEntry, entry: Dirent): boolean | Promise<boolean> => {
    if (entry.isSymbolicLink()) return false;
    if (isHidden(folder, entry)) return hideNamed(folder, entry.name);
    if (entry.name === '.git') return protectRepository(folder);
    if (entry.isDirectory()) return !SKIPPED.has(entry.name) || (isLinked !== null && isLinked !== hasSeveralNames);
    return isLinked === null ? false : hideLinked(folder, entry.name);
  };
  try {
    // A command could open a closed folder again, whose secrets the scan did not find.
    await walk(root, visit, takeClosed);
    const linked = await openLinkedRepository(root);
    if (linked) {
      scan.fixed.push(linked.path);
      await addRepository(linked, mounts, writesGit, isFromCommand);
    }
    return scan;
  } catch (error) {
    await closeMounts(mounts);
    throw error;
  }
}

/** Shows the secrets that git stores. Mounts the folders above the other ones, so that no command moves them. */
async function finishScan(
  root: OpenEntry,
  { mounts, repositories, fixed }: Scan,
  tracked: TrackedFiles | null,
): Promise<WorkspaceMounts> {
  try {
    await tracked?.show(mounts, repositories);
    // In `node_modules`, in `.git` and under some other paths the next scan would not find it.
    const hidden = [...mounts.hiddenFolders, ...mounts.hiddenFiles].map(({ path }) => path);
    const unmovable = new Set<string>();
    for (const path of [...hidden, ...fixed])
      for (let folder = dirname(path); folder !== root.path && isInside(root.path, folder); folder = dirname(folder))
        unmovable.add(folder);
    if (countMounts(mounts) + unmovable.size > MAX_MOUNTS) throw refuseCrowd(root.path, mounts);
    const folders = [...unmovable].map((path) => root.openBelow(relative(root.path, path)));
    mounts.unmovable.push(...(await Promise.all(folders)).filter((folder) => folder !== null));
    return mounts;
  } catch (error) {
    await closeMounts(mounts);
    throw error;
  }
}

/** Caches the answers of a function of names, which repeat in a tree. */
function cacheByName(compute: (name: string) => boolean): (name: string) => boolean {
  const cache = new Map<string, boolean>();
  return (name) => {
    const cached = cache.get(name);
    if (cached !== undefined) return cached;
    if (cache.size === MAX_CACHED_NAMES) cache.clear();
    const value = compute(name);
    cache.set(name, value);
    return value;
  };
}

const countMounts = ({ readOnly, unmovable, hiddenFolders, hiddenFiles, empty }: WorkspaceMounts): number =>
  readOnly.length + unmovable.length + hiddenFolders.length + hiddenFiles.length + empty.length;

function refuseCrowd(path: string, { hiddenFiles, hiddenFolders }: WorkspaceMounts): TriadError {
  const example = [...hiddenFolders, ...hiddenFiles].at(-1)?.path;
  const named = example === undefined ? '' : `, for instance ${example}`;
  return new TriadError(
    'limit_reached',
    `${path} has more than ${MAX_MOUNTS} secrets and repositories${named}: delete them, or open a folder below as the workspace`,
  );
}

function refuseSize(path: string, maxEntries: number): TriadError {
  return new TriadError(
    'limit_reached',
    `${path} has more than ${maxEntries} entries, too many to look for secrets: delete what builds made, or open a folder below as the workspace`,
  );
}

interface OpenParent {
  folder: OpenEntry;
  /** Number of its folders that are still to be visited. */
  pending: number;
  /** True if this user cannot read or search it. */
  isClosed: boolean;
}

/**
 * Visits every entry below an open folder. `visit` returns whether to go on into an entry that is a folder. `takeClosed` gets
 * each folder that this user cannot read or search, and closes it. Throws `limit_reached` for more than `maxEntries`.
 */
export async function walk(
  root: OpenEntry,
  visit: (folder: OpenEntry, entry: Dirent) => boolean | Promise<boolean>,
  takeClosed: (folder: OpenEntry) => void,
  maxEntries: number = MAX_ENTRIES,
): Promise<void> {
  let entriesLeft = maxEntries;
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
      if (entriesLeft < 0) throw refuseSize(root.path, maxEntries);
      for (const [index, entry] of entries.entries()) {
        if (index % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) await nextTurn();
        const visited = visit(folder, entry);
        if (visited === false || (visited !== true && !(await visited))) continue;
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
