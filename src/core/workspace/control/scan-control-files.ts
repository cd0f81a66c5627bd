/** Finds the control files of a workspace: files that git, Triad or an MCP server obeys outside the sandbox. */
import type { Dirent } from 'node:fs';
import { readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, relative } from 'node:path';
import { sha256 } from '../../base/hash.ts';
import { parseGitPointer } from '../git-pointers.ts';
import { encodePath, OpenEntry } from '../open-entry.ts';
import { isInside } from '../reach.ts';
import { openOuterRepository } from '../shell/repository-mounts.ts';
import { walk } from '../shell/workspace-scan.ts';

/** The entry at the path of a control file. */
export type ControlFile =
  /**
   * `hash`: of the content, or of size and times for a file over `MAX_BYTES`. `leadsTo`: the real path of the git directory
   * that a `.git` names.
   */
  | { kind: 'file'; hash: string; mode: number; isLarge: boolean; leadsTo?: string }
  | { kind: 'link'; target: string }
  /** A folder, device or pipe with a name that git does not use. */
  | { kind: 'other' };

export interface ControlScan {
  /** By absolute path. */
  files: ReadonlyMap<string, ControlFile>;
  /** Absolute paths of the git directories, whose control files are all in `files`. */
  gitFolders: ReadonlySet<string>;
  /** Paths of the git directories outside the workspace. */
  outerFolders: readonly string[];
}

export interface ScanOptions {
  /** Paths of files, relative to the workspace, from which MCP servers are started. */
  started: readonly string[];
  /** Folder outside the workspace that commands can write. */
  caches: string | null;
  /** Git directories that an earlier scan found outside: a new repository in the workspace hides them. */
  outerFolders?: readonly string[];
  /** Gets each content of at most `MAX_BYTES`. */
  store: (hash: string, bytes: Buffer) => Promise<void>;
}

/** Maximum size of a control file whose content is compared and stored, in bytes. */
const MAX_BYTES = 1024 * 1024;
/** Levels of folders below a git directory, and below a folder with settings of Triad. */
const MAX_DEPTH = 12;
/** Maximum number of entries in the workspace, those of dependencies included. */
const MAX_ENTRIES = 3_000_000;
/** Maximum number of files and folders that settings of git name. */
const MAX_NAMED = 1000;

/** Settings of Triad at the top of a workspace, in lower case: some file systems ignore case. */
const TOP_FILES: ReadonlySet<string> = new Set(['.mcp.json']);
const TOP_FOLDERS: ReadonlySet<string> = new Set(['.triad', '.claude']);

/** Files and folders of a git directory that hold settings or programs, or that name another git directory. */
const CONTROLS = /^(config.*|commondir|gitdir)$/i;
/** Other entries of a git directory that git and its common extensions use. */
const DATA =
  /^([A-Z_]*HEAD|AUTO_MERGE|SQUASH_MSG|COMMIT_EDITMSG|TAG_EDITMSG|(MERGE|NOTES|BISECT|REBASE)_[A-Z_]*|index|sharedindex.*|packed-refs|shallow|description|info|refs|reftable|logs|objects|lfs|annex|rr-cache|modules|rebase-.*|sequencer|worktrees|branches|remotes|lost-found|gc\..*|fsmonitor--daemon.*|hooks|locked|.*\.lock)$/;
/** Files that `git init` writes and git never runs. */
const SAMPLE = /\.sample$/;

/**
 * Reads the control files in a workspace folder and in the git directories around it. Links are not followed. They are
 * reported if they are control files, or lead to a folder that commands can write and that is not scanned.
 */
export async function scanControlFiles(
  root: OpenEntry,
  { started, caches, outerFolders = [], store }: ScanOptions,
): Promise<ControlScan> {
  const reader: Reader = { root, files: new Map(), gitFolders: new Set(), named: [], included: new Set(), store };
  const visit = (folder: OpenEntry, entry: Dirent): boolean | Promise<boolean> => {
    const { name } = entry;
    const isFolder = entry.isDirectory();
    const readThen = (read: Promise<void>, goesOn: boolean) => read.then(() => goesOn);
    const folded = name.toLowerCase();
    if (folded === '.git') return readThen(readEntry(reader, folder, name, readGit), false);
    const isTop = folder === root && (TOP_FILES.has(folded) || TOP_FOLDERS.has(folded));
    if (isTop) return readThen(readEntry(reader, folder, name, TOP_FILES.has(folded) ? null : readTree), isFolder);
    if (entry.isSymbolicLink()) return readThen(readLink(reader, folder, name, caches), false);
    if (name === 'HEAD') return readThen(readBareRepository(reader, folder), isFolder);
    return isFolder;
  };
  // Git cannot read a folder that is closed to this user either.
  await walk(root, visit, (folder) => void folder.close(), MAX_ENTRIES);
  for (const path of started) await readBelow(reader, join(root.path, path), null);
  const outer = await openOuterFolders(root, outerFolders);
  for (const folder of outer) {
    await readGitFolder(reader, folder, 0, true);
    await folder.close();
  }
  for (let index = 0; index < Math.min(reader.named.length, MAX_NAMED); index += 1)
    await readBelow(reader, reader.named[index]!, readHooks);
  return { files: reader.files, gitFolders: reader.gitFolders, outerFolders: outer.map(({ path }) => path) };
}

/** Opens the git directories around a workspace. `known`: paths of those that an earlier scan found. */
export async function openOuterFolders(root: OpenEntry, known: readonly string[]): Promise<OpenEntry[]> {
  const { gitFolders, top } = await openOuterRepository(root);
  await top?.close();
  const rest = known.filter((path) => gitFolders.every((folder) => folder.path !== path));
  const opened = await Promise.all(rest.map((path) => OpenEntry.open(path)));
  return [...gitFolders, ...opened.filter((folder) => folder !== null)];
}

interface Reader {
  root: OpenEntry;
  files: Map<string, ControlFile>;
  gitFolders: Set<string>;
  /** Absolute paths in the workspace of files and folders that settings of git name. */
  named: string[];
  /** Those of `named` that are settings. */
  included: Set<string>;
  store: (hash: string, bytes: Buffer) => Promise<void>;
}

/** Reads a file or folder by its path, if it is in the workspace. */
async function readBelow(reader: Reader, path: string, readFolder: ReadFolder | null): Promise<void> {
  const { root } = reader;
  const folder = isInside(root.path, path) ? await root.openBelow(relative(root.path, dirname(path))) : null;
  if (!folder) return;
  await readEntry(reader, folder, basename(path), readFolder);
  await folder.close();
}

/** Reports a link to a folder in which another repository could be, because the scan does not look there. */
async function readLink(reader: Reader, folder: OpenEntry, name: string, caches: string | null): Promise<void> {
  const link = encodePath(`${folder.through}/${name}`);
  const real = await realpath(link).catch(() => null);
  if (real === null || !(hasGitPart(real) || (caches !== null && isInside(caches, real)))) return;
  if (!(await stat(link).catch(() => null))?.isDirectory()) return;
  reader.files.set(join(folder.path, name), { kind: 'link', target: await readlink(link) });
}

/** Returns whether a path leads into a git directory. */
export const hasGitPart = (path: string): boolean => path.toLowerCase().split('/').includes('.git');

type ReadFolder = (reader: Reader, folder: OpenEntry, depth: number) => Promise<void>;

/** Reads one entry of a folder. `readFolder`: reads what is in it if it is a folder; null: the folder itself is reported. */
async function readEntry(
  reader: Reader,
  folder: OpenEntry,
  name: string,
  readFolder: ReadFolder | null,
  depth = 0,
): Promise<void> {
  const entry = await folder.openEntry(name);
  const path = join(folder.path, name);
  if (!entry) {
    const target = await readlink(encodePath(`${folder.through}/${name}`)).catch(() => null);
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

async function readControlFile(reader: Reader, entry: OpenEntry): Promise<ControlFile> {
  const { size, mtimeNs, ctimeNs, ino, mode: type } = entry.stats;
  const mode = Number(type) & 0o777;
  const bytes = size > MAX_BYTES ? null : await readFile(entry.through).catch(() => null);
  if (bytes === null) {
    const hash = sha256([size, mtimeNs, ctimeNs, ino].join(' '));
    return { kind: 'file', hash, mode, isLarge: true };
  }
  const hash = sha256(bytes);
  await reader.store(hash, bytes);
  const name = basename(entry.path).toLowerCase();
  if (/^config/.test(name) || reader.included.has(entry.path)) addNamed(reader, entry.path, bytes.toString('utf8'));
  const target = name === '.git' ? parseGitPointer(entry.path, bytes) : null;
  const leadsTo = target && (await realpath(target).catch(() => null));
  return { kind: 'file', hash, mode, isLarge: false, ...(leadsTo ? { leadsTo } : {}) };
}

/** Settings that name a file with settings, or the folder of the hooks. */
const NAMES_FILE = /(?:^|\])[ \t]*(path|hookspath)[ \t]*=[ \t]*"?([^"\n]*?)"?[ \t\r]*$/gim;

/** Adds the files and folders that settings of git name. Changed settings are reported, so these are the person's. */
function addNamed({ root, named, included }: Reader, path: string, text: string): void {
  for (const [, key = '', value = ''] of text.matchAll(NAMES_FILE)) {
    const isIncluded = key.toLowerCase() === 'path';
    // Husky runs the files beside a folder of this name.
    const target = isIncluded ? value : value.replace(/\/_\/?$/, '');
    const folders = isIncluded ? [dirname(path)] : [dirname(dirname(path)), root.path];
    for (const full of folders.map((folder) => (isAbsolute(target) ? normalize(target) : join(folder, target)))) {
      if (full === root.path || !isInside(root.path, full) || named.includes(full)) continue;
      named.push(full);
      if (isIncluded) included.add(full);
    }
  }
}

/** Reads a folder that has the entries of a git directory, which git then uses as one, whatever its name is. */
async function readBareRepository(reader: Reader, folder: OpenEntry): Promise<void> {
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

/** `reportsUnknown`: whether entries with names that git does not use are reported. */
async function readGitFolder(reader: Reader, folder: OpenEntry, depth: number, reportsUnknown: boolean): Promise<void> {
  reader.gitFolders.add(folder.path);
  for (const entry of await folder.entries()) {
    const { name } = entry;
    const read = (readFolder: ReadFolder | null) => readEntry(reader, folder, name, readFolder, depth);
    const isControl = CONTROLS.test(name) && !name.endsWith('.lock');
    if (isControl || (!DATA.test(name) && reportsUnknown)) await read(null);
    else if (!DATA.test(name)) continue;
    // Git waits for a pipe, which then stops every program that looks at the folder.
    else if (entry.isSymbolicLink() || entry.isFIFO()) await read(null);
    else if (name === 'hooks') await read(readHooks);
    else if (name === 'info') await read((_, inner) => readEntry(reader, inner, 'attributes', null));
    else if (name === 'objects') await read(readAlternates);
    else if (name === 'modules' || name === 'worktrees') await read(readRepositories);
    else if (name === 'branches' || name === 'remotes') await read(readTree);
    else if (name === 'sequencer' || name.startsWith('rebase-')) await read(readProgress);
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

/** Files of an operation in progress that may name programs. */
const PROGRESS: ReadonlySet<string> = new Set(['git-rebase-todo', 'strategy', 'opts']);

const readProgress: ReadFolder = async (reader, folder) => {
  for (const name of PROGRESS) await readEntry(reader, folder, name, null);
};

const readAlternates: ReadFolder = (reader, folder, depth) =>
  readEntry(reader, folder, 'info', (_, inner) => readEntry(reader, inner, 'alternates', null), depth);

/** A folder of a git directory that has the git directories of its worktrees or submodules. */
const REPOSITORIES = /\/(worktrees|modules)\//;

/**
 * Returns whether a pointer of a worktree or submodule (`.git`, `commondir` or `gitdir`) leads to its git directory, whose
 * control files are compared too, or back.
 */
export async function isKnownPointer(path: string, bytes: Buffer, root: string, scan: ControlScan): Promise<boolean> {
  const name = basename(path).toLowerCase();
  const target = parseGitPointer(path, bytes);
  if (target === null) return false;
  if (name === 'commondir')
    return target === dirname(dirname(dirname(path))) && basename(dirname(dirname(path))) === 'worktrees';
  if (name === 'gitdir') return basename(target) === '.git' && isInside(root, target);
  const real = await realpath(target).catch(() => null);
  // A link on the way could lead elsewhere later.
  return real === target && scan.gitFolders.has(real) && REPOSITORIES.test(real);
}

/** Returns the path as a person reads it: relative to the workspace if it is inside. */
export const formatControlPath = (root: string, path: string): string =>
  (isInside(root, path) ? relative(root, path) : path).toWellFormed();

/** Returns whether Triad itself loads the file. */
export function isTriadFile(root: string, path: string): boolean {
  const [top = ''] = isInside(root, path) ? relative(root, path).toLowerCase().split('/') : [];
  return TOP_FILES.has(top) || TOP_FOLDERS.has(top);
}
