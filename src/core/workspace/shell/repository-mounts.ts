/** Mounts that protect a git directory. A command can change the data of git, but no hook and no setting that names a program. */
import type { BigIntStats } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { access, constants, readFile, realpath } from 'node:fs/promises';
import { MAX_POINTER_BYTES, parseGitPointer } from '../git-pointers.ts';
import { OpenEntry } from '../open-entry.ts';
import { isInside } from '../reach.ts';
import type { WorkspaceMounts } from './mounts.ts';

/** Folders of a git directory in which there are no settings and hooks. */
const DATA_FOLDERS: ReadonlySet<string> = new Set(['objects', 'refs', 'logs', 'lfs', 'rr-cache', 'annex']);
/** Files of the git directory of a worktree that name folders with settings. */
const POINTERS: ReadonlySet<string> = new Set(['commondir', 'gitdir']);
/** Levels below a git directory that are searched. Names of submodules and worktrees may contain slashes. */
const MAX_DEPTH = 8;
/** Maximum size of settings that are searched for a work tree, in bytes. */
const MAX_SETTINGS_BYTES = 65_536;

/** Returns whether a command made an entry. Such an entry is not protected: the command could plant anything in it. */
export type IsFromCommand = (stats: BigIntStats) => boolean;

/**
 * Adds a git directory, or a file `.git`, and takes over the open entry. Commands can change and delete the entries in it
 * that `isFromCommand` accepts.
 */
export async function addRepository(
  entry: OpenEntry,
  mounts: WorkspaceMounts,
  isWritable: boolean,
  isFromCommand: IsFromCommand,
): Promise<void> {
  if (!entry.stats.isDirectory() || !isWritable || !(await isProtectable(entry))) {
    mounts.readOnly.push(entry);
    return;
  }
  // A mounted folder cannot be replaced by another one.
  mounts.unmovable.push(entry);
  await addSettings(entry, mounts, 0, isFromCommand);
}

/** Returns whether the settings of a git directory can be mounted: not on links, and not in folders that are closed. */
async function isProtectable(folder: OpenEntry): Promise<boolean> {
  const isOpen = await access(folder.through, constants.R_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  const entries = await folder.entries();
  return isOpen && !entries.some((entry) => entry.isSymbolicLink() && isSetting(entry.name));
}

const isSetting = (name: string): boolean => name.startsWith('config') || POINTERS.has(name) || name === 'hooks';

/**
 * Adds the settings and hooks of a git directory, and of those of its submodules and worktrees. Returns whether a mount is
 * in the folder, which then must stay where it is.
 */
async function addSettings(
  folder: OpenEntry,
  mounts: WorkspaceMounts,
  depth: number,
  isFromCommand: IsFromCommand,
): Promise<boolean> {
  let isMountIn = false;
  const names = new Set((await folder.entries(true)).map(({ name }) => name));
  for (const name of names) {
    const isBranch = depth === 0 ? name === 'modules' || name === 'worktrees' : !DATA_FOLDERS.has(name);
    if (!isSetting(name) && !isBranch && name !== 'info') continue;
    const entry = await folder.openEntry(name, true);
    if (!entry) continue;
    if (depth > 0 && entry.stats.isDirectory() && isFromCommand(entry.stats)) await entry.close();
    else if (isSetting(name)) {
      mounts.readOnly.push(entry);
      isMountIn = true;
    } else if (name === 'info') {
      const attributes = await entry.openEntry('attributes');
      if (attributes) mounts.readOnly.push(attributes);
      await entry.close();
    } else if (!entry.stats.isDirectory()) await entry.close();
    else if (depth === MAX_DEPTH || !(await isProtectable(entry))) {
      mounts.readOnly.push(entry);
      isMountIn = true;
    } else if (await addSettings(entry, mounts, depth + 1, isFromCommand)) {
      mounts.unmovable.push(entry);
      isMountIn = true;
    } else await entry.close();
  }
  if (depth > 0 && !names.has('HEAD')) return isMountIn;
  if (!names.has('commondir')) mounts.selfContained.push(folder);
  // Nothing is mounted on a link of this name.
  if (!names.has('hooks') && !names.has('commondir')) mounts.empty.push(join(folder.path, 'hooks'));
  return true;
}

/** The repository of a workspace, as far as it is outside. */
export interface OuterRepository {
  /** The git directories. */
  gitFolders: OpenEntry[];
  /** The folder of the repository around the workspace; null if the workspace is that folder. */
  top: OpenEntry | null;
}

/**
 * Opens the git directories outside a workspace that belong to it. They belong to a worktree or a submodule whose `.git` is
 * a file, or to the repository around the workspace. A file in the workspace may name any folder, so the git directory must
 * name the workspace in return.
 */
export async function openOuterRepository(root: OpenEntry): Promise<OuterRepository> {
  for (let folder = root.path; ; folder = dirname(folder)) {
    const entry = await OpenEntry.open(join(folder, '.git'));
    const isAround = folder !== root.path;
    if (entry?.stats.isDirectory() && isAround) return { gitFolders: [entry], top: await OpenEntry.open(folder) };
    const named = entry?.stats.isFile() ? await readPointer(entry) : null;
    await entry?.close();
    if (named !== null) {
      const gitFolders = await openNamedFolders(named, folder);
      return { gitFolders, top: isAround && gitFolders.length > 0 ? await OpenEntry.open(folder) : null };
    }
    if (entry || folder === dirname(folder)) return { gitFolders: [], top: null };
  }
}

/** Opens a git directory, and the one that it shares with others, if it names the folder. */
async function openNamedFolders(path: string, folder: string): Promise<OpenEntry[]> {
  const gitFolder = await openFolder(path);
  if (!gitFolder) return [];
  // Commands control a git directory in the workspace, so its pointers prove nothing.
  if (isInside(folder, gitFolder.path) || !(await namesWorkTree(gitFolder, folder))) {
    await gitFolder.close();
    return [];
  }
  const pointer = await gitFolder.openEntry('commondir');
  const shared = pointer && (await readPointer(pointer));
  await pointer?.close();
  if (!shared) return [gitFolder];
  const common = await openFolder(shared);
  // Commands can write the pointer, but only the shared directory has the git directories of its worktrees.
  if (common && dirname(gitFolder.path) === join(common.path, 'worktrees')) return [common, gitFolder];
  await common?.close();
  return [gitFolder];
}

async function openFolder(path: string): Promise<OpenEntry | null> {
  const real = isAbsolute(path) ? await realpath(path).catch(() => null) : null;
  const entry = real === null ? null : await OpenEntry.open(real);
  if (entry?.stats.isDirectory()) return entry;
  await entry?.close();
  return null;
}

/** Returns whether a git directory names this folder as its work tree. */
async function namesWorkTree(gitFolder: OpenEntry, folder: string): Promise<boolean> {
  const worktree = await gitFolder.openEntry('gitdir');
  const config = await gitFolder.openEntry('config');
  const named = worktree && (await readPointer(worktree));
  const text = (await config?.readText(MAX_SETTINGS_BYTES)) ?? '';
  await worktree?.close();
  await config?.close();
  const submodule = /^[ \t]*worktree[ \t]*=[ \t]*"?([^"\n]*?)"?[ \t]*$/m.exec(text)?.[1];
  const candidates = [
    ...(named ? [dirname(named)] : []),
    ...(submodule === undefined ? [] : [resolve(gitFolder.path, submodule)]),
  ];
  const found = await Promise.all(candidates.map((path) => realpath(path).catch(() => null)));
  return found.includes(folder);
}

async function readPointer(entry: OpenEntry): Promise<string | null> {
  if (!entry.stats.isFile() || entry.stats.size > MAX_POINTER_BYTES) return null;
  const bytes = await readFile(entry.through).catch(() => null);
  return bytes && parseGitPointer(entry.path, bytes);
}
