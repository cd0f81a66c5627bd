/** Finds the control files of a workspace: files that start or configure git, Triad or MCP servers outside the sandbox. */
import type { Dirent } from 'node:fs';
import { readFile, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { sha256 } from '../../base/hash.ts';
import type { OpenEntry } from '../open-entry.ts';
import { isInside } from '../reach.ts';
import { openOuterRepository } from '../shell/repository-mounts.ts';
import { walk } from '../shell/workspace-scan.ts';

/** The entry at the path of a control file. */
export type ControlFile =
  /** `hash`: of the content, or of size and times for a file over `MAX_BYTES`. */
  | { kind: 'file'; hash: string; mode: number; isLarge: boolean }
  | { kind: 'link'; target: string }
  /** A folder, device or pipe with a name that git does not use. */
  | { kind: 'other' };

export interface ControlScan {
  /** By absolute path. */
  files: ReadonlyMap<string, ControlFile>;
  /** Absolute paths of the git directories, whose control files are all in `files`. */
  gitFolders: ReadonlySet<string>;
}

/** Maximum size of a control file whose content is compared and stored, in bytes. */
const MAX_BYTES = 1024 * 1024;
/** Levels of folders below a git directory, and below a folder with settings of Triad. */
const MAX_DEPTH = 12;

/** Settings of Triad at the top of a workspace, in lower case: some file systems ignore case. */
const TOP_FILES: ReadonlySet<string> = new Set(['.mcp.json']);
const TOP_FOLDERS: ReadonlySet<string> = new Set(['.triad', '.claude']);

/** Files and folders of a git directory that hold settings or programs, or that name another git directory. */
const CONTROLS = /^(config.*|commondir|gitdir)$/i;
/** Other entries of a git directory that git and its common extensions use. */
const DATA =
  /^([A-Z_]*HEAD|AUTO_MERGE|SQUASH_MSG|COMMIT_EDITMSG|TAG_EDITMSG|(MERGE|NOTES|BISECT|REBASE)_[A-Z_]*|index|sharedindex.*|packed-refs|shallow|description|info|refs|reftable|logs|objects|lfs|annex|rr-cache|modules|rebase-.*|sequencer|worktrees|branches|lost-found|gc\..*|fsmonitor--daemon.*|hooks|locked|.*\.lock)$/;
/** Files that `git init` writes and git never runs. */
const SAMPLE = /\.sample$/;

/**
 * Reads the control files in a workspace folder and in the git directories around it. Links are reported, not followed.
 * `startedFiles`: paths of files, relative to the workspace, from which MCP servers are started. `store` gets each content
 * of at most `MAX_BYTES`.
 */
export async function scanControlFiles(
  root: OpenEntry,
  startedFiles: readonly string[],
  store: (hash: string, bytes: Buffer) => Promise<void> = () => Promise.resolve(),
): Promise<ControlScan> {
  const files = new Map<string, ControlFile>();
  const gitFolders = new Set<string>();
  const reader = { files, gitFolders, store };
  const visit = (folder: OpenEntry, entry: Dirent): boolean | Promise<boolean> => {
    const { name } = entry;
    const isFolder = entry.isDirectory();
    const readThen = (read: Promise<void>, canDescend: boolean) => read.then(() => canDescend);
    // Most names differ from all of these in the first character.
    if (name[0] !== '.' && name[0] !== 'H') return isFolder && name !== 'node_modules';
    const folded = name.toLowerCase();
    if (folded === '.git') return readThen(readEntry(reader, folder, name, readGit), false);
    if (name === 'HEAD') return readThen(readBareRepository(reader, folder), isFolder);
    if (folder !== root) return isFolder;
    if (TOP_FILES.has(folded)) return readThen(readEntry(reader, folder, name, null), isFolder);
    return TOP_FOLDERS.has(folded) ? readThen(readEntry(reader, folder, name, readTree), isFolder) : isFolder;
  };
  // Git cannot read a folder that is closed to this user either.
  await walk(root, visit, (folder) => void folder.close());
  for (const path of startedFiles) {
    const folder = await root.openBelow(dirname(path));
    if (!folder) continue;
    await readEntry(reader, folder, basename(path), null);
    await folder.close();
  }
  const outer = await openOuterRepository(root);
  for (const folder of outer.gitFolders) {
    await readGitFolder(reader, folder, 0, true);
    await folder.close();
  }
  await outer.top?.close();
  return { files, gitFolders };
}

interface ControlReader {
  files: Map<string, ControlFile>;
  gitFolders: Set<string>;
  store: (hash: string, bytes: Buffer) => Promise<void>;
}

type ReadFolder = (reader: ControlReader, folder: OpenEntry, depth: number) => Promise<void>;

/** Reads one entry of a folder. `readFolder`: reads what is in it if it is a folder; null: the folder itself is reported. */
async function readEntry(
  reader: ControlReader,
  folder: OpenEntry,
  name: string,
  readFolder: ReadFolder | null,
  depth = 0,
): Promise<void> {
  const entry = await folder.openEntry(name);
  const path = join(folder.path, name);
  if (!entry) {
    const target = await readlink(`${folder.through}/${name}`).catch(() => null);
    if (target !== null) reader.files.set(path, { kind: 'link', target });
    return;
  }
  try {
    if (entry.stats.isFile()) reader.files.set(path, await readControlFile(reader, entry));
    else if (!entry.stats.isDirectory() || readFolder === null || depth > MAX_DEPTH)
      reader.files.set(path, { kind: 'other' });
    else await readFolder(reader, entry, depth);
  } finally {
    await entry.close();
  }
}

async function readControlFile({ store }: ControlReader, entry: OpenEntry): Promise<ControlFile> {
  const { size, mtimeNs, ctimeNs, ino, mode: type } = entry.stats;
  const mode = Number(type) & 0o777;
  const bytes = size > MAX_BYTES ? null : await readFile(entry.through).catch(() => null);
  if (bytes === null) {
    const hash = sha256([size, mtimeNs, ctimeNs, ino].join(' '));
    return { kind: 'file', hash, mode, isLarge: true };
  }
  const hash = sha256(bytes);
  await store(hash, bytes);
  return { kind: 'file', hash, mode, isLarge: false };
}

/** Reads a folder that has the entries of a git directory, which git then uses as one, whatever its name is. */
async function readBareRepository(reader: ControlReader, folder: OpenEntry): Promise<void> {
  const names = new Set((await folder.entries()).map(({ name }) => name));
  if (names.has('commondir') || (names.has('objects') && names.has('refs')))
    await readGitFolder(reader, folder, 0, false);
}

const readGit: ReadFolder = (reader, folder) => readGitFolder(reader, folder, 0, true);

const readTree: ReadFolder = async (reader, folder, depth) => {
  for (const { name } of await folder.entries()) {
    // Triad itself writes the sessions of a project there.
    if (depth === 0 && name === 'sessions' && basename(folder.path) === '.triad') continue;
    await readEntry(reader, folder, name, readTree, depth + 1);
  }
};

/** `shouldReportUnknown`: adds entries with names that git does not use. */
async function readGitFolder(
  reader: ControlReader,
  folder: OpenEntry,
  depth: number,
  shouldReportUnknown: boolean,
): Promise<void> {
  reader.gitFolders.add(folder.path);
  for (const entry of await folder.entries()) {
    const { name } = entry;
    const read = (readFolder: ReadFolder | null) => readEntry(reader, folder, name, readFolder, depth);
    const isControl = CONTROLS.test(name) && !name.endsWith('.lock');
    if (isControl || (!DATA.test(name) && shouldReportUnknown)) await read(null);
    else if (!DATA.test(name)) continue;
    else if (entry.isSymbolicLink()) await read(null);
    else if (name === 'hooks') await read(readHooks);
    else if (name === 'info') await read((_, inner) => readEntry(reader, inner, 'attributes', null));
    else if (name === 'objects') await read(readAlternates);
    else if (name === 'modules' || name === 'worktrees') await read(readRepositories);
  }
}

/** Reads the git directories of submodules or worktrees. Their names may contain slashes. */
const readRepositories: ReadFolder = async (reader, folder, depth) => {
  for (const { name } of await folder.entries()) await readEntry(reader, folder, name, readRepository, depth + 1);
};

const readRepository: ReadFolder = async (reader, folder, depth) => {
  const isRepository = (await folder.entries()).some(({ name }) => name === 'HEAD');
  await (isRepository ? readGitFolder(reader, folder, depth, true) : readRepositories(reader, folder, depth));
};

const readHooks: ReadFolder = async (reader, folder, depth) => {
  for (const { name } of await folder.entries())
    if (!SAMPLE.test(name)) await readEntry(reader, folder, name, readHooks, depth + 1);
};

const readAlternates: ReadFolder = (reader, folder, depth) =>
  readEntry(reader, folder, 'info', (_, inner) => readEntry(reader, inner, 'alternates', null), depth);

/** A folder of a git directory that has the git directories of its worktrees or submodules. */
const REPOSITORIES = /\/(worktrees|modules)\//;

/**
 * Returns whether the target of a pointer (`.git` or `commondir`) is the git directory of its worktree or submodule, whose
 * control files are compared too. The target of `gitdir` is a `.git` in the workspace. `text`: content of the pointer.
 */
export async function isKnownPointer(path: string, text: string, root: string, scan: ControlScan): Promise<boolean> {
  const line = text.trimEnd();
  const name = basename(path).toLowerCase();
  const folder = dirname(path);
  if (line.includes('\n')) return false;
  if (name === 'commondir') return /^\.\.\/\.\.$/.test(line) && basename(dirname(folder)) === 'worktrees';
  const target = name === '.git' ? /^gitdir: (.+)$/.exec(line)?.[1] : name === 'gitdir' ? line : undefined;
  if (target === undefined) return false;
  const full = target.startsWith('/') ? normalize(target) : join(folder, target);
  if (name === 'gitdir') return basename(full) === '.git' && isInside(root, full);
  const real = await realpath(full).catch(() => null);
  // A link on the way could have another target later.
  return real === full && scan.gitFolders.has(real) && REPOSITORIES.test(real);
}

/** Returns the path for a person: relative to the workspace if it is inside. */
export const formatControlPath = (root: string, path: string): string =>
  isInside(root, path) ? relative(root, path) : path;

/** Returns whether Triad itself loads the file. */
export function isTriadFile(root: string, path: string): boolean {
  const [top = ''] = isInside(root, path) ? relative(root, path).toLowerCase().split('/') : [];
  return TOP_FILES.has(top) || TOP_FOLDERS.has(top);
}
