/** All that lies at a path, so that it can be kept whole before it is moved or deleted. */
import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { TriadError } from '../base/errors.ts';
import { type FileNow, readState } from './file-state.ts';
import { refuseSecret, resolveInside, shownPath, throwFileError, withFolder } from './places.ts';
import { isInside, type Workspace } from './reach.ts';

/** Beyond this a tree is not kept: files, and bytes in all. */
const MAX_ENTRIES = 2000;
const MAX_BYTES = 64 * 1024 * 1024;

/** A file, a link, or a folder with all that is in it. */
export interface Tree {
  /** As people see it: relative to the workspace, links above it resolved. */
  path: string;
  isFolder: boolean;
  /** Each with its path relative to the workspace, sorted: files, links as links, and folders that are empty. */
  entries: { path: string; file: FileNow }[];
}

/**
 * Throws `not_found` where nothing is there, `not_allowed` for what lies outside, holds keys, belongs to the program or
 * is no file, `bad_input` for the workspace itself and for what a git repository lies in, `limit_reached` where it is
 * too much.
 */
export async function treeAt(workspace: Workspace, asked: string): Promise<Tree> {
  const path = await placeOf(workspace, asked);
  const full = join(workspace.folder, path);
  const stats = await withFolder(workspace, dirname(full), asked, (through) =>
    lstat(join(through, basename(full))).catch((error: unknown) => throwFileError(error, asked)),
  );
  const entries: Tree['entries'] = [];
  let bytes = 0;
  const add = async (at: string): Promise<void> => {
    const file = await readState(workspace, at);
    if (file === null) throw new TriadError('conflict', `${at} was changed while it was looked at`);
    bytes += file.bytes.length;
    if (entries.length === MAX_ENTRIES || bytes > MAX_BYTES)
      throw new TriadError(
        'limit_reached',
        `${asked} has more than ${MAX_ENTRIES} files, or ${MAX_BYTES / 2 ** 20} MiB`,
      );
    entries.push({ path: at, file });
  };
  const walk = async (at: string): Promise<void> => {
    const inside = await withFolder(workspace, join(workspace.folder, at), at, (through) =>
      readdir(through, { withFileTypes: true }),
    );
    if (inside.length === 0) return add(at);
    for (const entry of inside) {
      const below = `${at}/${entry.name}`;
      if (entry.name === '.git') throw new TriadError('bad_input', `${asked} holds a git repository (${below})`);
      await (entry.isDirectory() ? walk(below) : add(below));
    }
  };
  await (stats.isDirectory() ? walk(path) : add(path));
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { path, isFolder: stats.isDirectory(), entries };
}

/** The canonical path of a name, relative to the workspace: links above it are followed, one that it names is not. */
export async function placeOf(workspace: Workspace, asked: string): Promise<string> {
  const { folder } = workspace;
  const whole = asked.replace(/[/\\]+$/, '');
  // Follows all of it: what leads outside is refused under every name.
  const canonical = await resolveInside(workspace, asked);
  refuseSecret(workspace, asked, canonical);
  const above = await resolveInside(workspace, join(whole, '..'));
  const path = relative(folder, join(above, basename(whole)))
    .split(sep)
    .join('/');
  if (path === '' || shownPath(folder, canonical) === '.')
    throw new TriadError('bad_input', 'The workspace folder itself stays where it is');
  if (path.startsWith('../')) throw new TriadError('not_allowed', `${asked} is outside the workspace`);
  if (path.split('/').includes('.git'))
    throw new TriadError('bad_input', `${asked} belongs to git: it is for git to change`);
  return path;
}

/** Whether one path is the other, or lies in it. */
export function isBelow(path: string, folder: string): boolean {
  return isInside(folder.split('/').join(sep), path.split('/').join(sep));
}
