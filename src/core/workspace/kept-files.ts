/** What of a workspace its snapshot can hold. */
import type { BigIntStats } from 'node:fs';
import { access, constants, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { linkAbove, MAX_KEPT_BYTES } from './file-state.ts';
import { protectedFiles } from './hard-links.ts';
import { isOwn, type Workspace } from './reach.ts';
import { isSecret } from './secret-names.ts';
import { stampOf } from './stamp.ts';

/** What git takes under no name of its own, and a link that it does not. */
const REFUSED = /(^|\/)\.git(\/|$)/i;
const REFUSED_LINK = /(^|\/)\.gitmodules$/i;

/** Files that hold keys are seen by no command in the sandbox, and kept nowhere. */
export function isKept(workspace: Workspace, path: string): boolean {
  const full = join(workspace.folder, path);
  return !isSecret(workspace, full) && !isOwn(workspace, full);
}

/** Null where nothing is, or a folder; nothing is behind a link, whatever can be reached through it. */
export async function statsAt(workspace: Workspace, path: string): Promise<BigIntStats | null> {
  if ((await linkAbove(workspace, path)) !== null) return null;
  const stats = await lstat(join(workspace.folder, path), { bigint: true }).catch(() => null);
  return stats?.isDirectory() ? null : stats;
}

export async function stampAt(workspace: Workspace, path: string): Promise<string | null> {
  const stats = await statsAt(workspace, path);
  return stats && stampOf(stats);
}

/** Whether what is at a path can be kept: it is a link or a file that is not too large, may be read, and is one that git takes. */
export type Keeps = (path: string, stats: BigIntStats) => Promise<boolean>;

/** For one look at the workspace. */
export function keeper(workspace: Workspace): Keeps {
  let hidden: ReturnType<typeof protectedFiles> | null = null;
  return async (path, stats) => {
    if (REFUSED.test(path)) return false;
    if (stats.isSymbolicLink()) return !REFUSED_LINK.test(path);
    if (!stats.isFile() || stats.size > MAX_KEPT_BYTES) return false;
    // It may be another name of a file that holds keys.
    if (stats.nlink > 1n && (await (hidden ??= protectedFiles(workspace)))?.has(`${stats.dev}:${stats.ino}`) !== false)
      return false;
    return access(join(workspace.folder, path), constants.R_OK).then(
      () => true,
      () => false,
    );
  };
}
