/** Files that git would not take: what the .gitignore files of a workspace name, and `.git/info/exclude`. */
import { closeSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { HeldFolder } from './held-folder.ts';
import type { Workspace } from './reach.ts';
import { readFolderIdSync } from './roots.ts';

/** A longer file of patterns is not read, in bytes. */
const MAX_BYTES = 256 * 1024;
/** Folders whose names differ only in case are one there, as they are for git. */
const FOLDS_CASE = process.platform === 'darwin' || process.platform === 'win32';

/** Patterns that hold in a folder, over paths relative to `root`; null: none. */
interface Patterns {
  root: string;
  all: Ignore | null;
}

export class IgnoredFiles {
  /** Reaches up to the repository's root, for these files only. */
  readonly #workspace: Workspace;
  readonly #known = new Map<string, Patterns>();

  /** Patterns above the workspace count where it lies in a repository. */
  constructor(workspace: Workspace) {
    const top = repositoryOf(workspace);
    this.#workspace = top === null ? workspace : placeAt(workspace, top);
  }

  /** Whether something in the workspace, or a folder above it, is named. Takes a canonical path. */
  has(path: string, isFolder: boolean): boolean {
    if (path === this.#workspace.folder) return false;
    const { root, all } = this.#patternsIn(dirname(path));
    if (all === null) return false;
    return all.ignores(slashed(relative(root, path)) + (isFolder ? '/' : ''));
  }

  #patternsIn(path: string): Patterns {
    const known = this.#known.get(path);
    if (known) return known;
    const isTop = path === this.#workspace.folder;
    const above = isTop ? { root: path, all: null } : this.#patternsIn(dirname(path));
    const folder = HeldFolder.open(this.#workspace, path);
    const found = folder === null ? above : this.#within(folder, above);
    folder?.close();
    this.#known.set(path, found);
    return found;
  }

  /** A repository within another one has its own patterns only. */
  #within(folder: HeldFolder, above: Patterns): Patterns {
    const isRepository = folder.has('.git');
    const { root, all } = isRepository ? { root: folder.path, all: null } : above;
    const lines = [...(isRepository ? this.#excluded(folder.path) : []), ...linesIn(folder, '.gitignore')];
    if (lines.length === 0) return { root, all };
    const base = slashed(relative(root, folder.path));
    const more = ignore({ ignorecase: FOLDS_CASE });
    if (all) more.add(all);
    return { root, all: more.add(lines.map((line) => patternIn(base, line))) };
  }

  #excluded(repository: string): string[] {
    const info = HeldFolder.open(this.#workspace, join(repository, '.git', 'info'));
    const lines = info ? linesIn(info, 'exclude') : [];
    info?.close();
    return lines;
  }
}

/** Returns the workspace as if it were a folder around it, for patterns only. */
function placeAt(workspace: Workspace, folder: string): Workspace {
  return folder === workspace.folder ? workspace : { ...workspace, folder, root: readFolderIdSync(folder) ?? '' };
}

/** The root of the repository in which the workspace lies; null where it is in none. */
function repositoryOf(workspace: Workspace): string | null {
  for (let path = workspace.folder; ; path = dirname(path)) {
    const folder = HeldFolder.open(placeAt(workspace, path), path);
    const isRepository = folder?.has('.git') ?? false;
    folder?.close();
    if (isRepository) return path;
    if (path === dirname(path)) return null;
  }
}

function linesIn(folder: HeldFolder, name: string): string[] {
  const file = folder.has(name) ? folder.openFile(name) : null;
  if (file === null) return [];
  try {
    if (file.stats.size > MAX_BYTES) return [];
    return readFileSync(file.fd, 'utf8')
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/);
  } finally {
    closeSync(file.fd);
  }
}

/** A line of the .gitignore in the folder `base`, as one of the repository's root. */
function patternIn(base: string, line: string): string {
  if (base === '' || line.trim() === '' || line.startsWith('#')) return line;
  const isNegated = line.startsWith('!');
  const body = isNegated ? line.slice(1) : line;
  // A slash anywhere but at its end binds a pattern to its folder.
  const isBound = /\/./.test(body.trimEnd());
  const inside = isBound ? body.replace(/^\//, '') : `**/${body}`;
  return `${isNegated ? '!' : ''}/${base.replaceAll(/[\\*?[\]]/g, '\\$&')}/${inside}`;
}

const slashed = (path: string): string => path.split(sep).join('/');
