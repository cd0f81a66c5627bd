/** Restores a `.git` that is a link. Nothing can be mounted on a link, so a command can replace it. */
import { readlink, rename, symlink } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { OpenEntry } from '../open-entry.ts';
import { isInside } from '../reach.ts';

/**
 * Opens the git directory in a workspace whose `.git` is a link. Returns null for another workspace, and for a link to
 * something outside, which no command sees.
 */
export async function openLinkedRepository(root: OpenEntry): Promise<OpenEntry | null> {
  const target = await readGitLink(root);
  const path = target === null ? null : resolve(root.path, target);
  if (path === null || path === root.path || !isInside(root.path, path)) return null;
  const entry = await root.openBelow(relative(root.path, path));
  if (entry?.stats.isDirectory()) return entry;
  await entry?.close();
  return null;
}

/** Returns the target of `.git` in a folder; null if it is no link. */
function readGitLink(root: OpenEntry): Promise<string | null> {
  return readlink(`${root.through}/.git`).catch(() => null);
}

/** Restores links that commands replaced. */
export class GitLinks {
  /** Targets as of the start of the first of the commands that run, by workspace folder. */
  readonly #targets = new Map<string, { target: string | null; commands: number }>();

  /** Call this before a command starts. Returns what to call after it has ended, while the folder is open. */
  async watch(root: OpenEntry): Promise<() => Promise<void>> {
    const current = await readGitLink(root);
    const watched = this.#targets.get(root.path) ?? { target: current, commands: 0 };
    this.#targets.set(root.path, watched);
    watched.commands += 1;
    return async () => {
      watched.commands -= 1;
      if (watched.commands === 0) this.#targets.delete(root.path);
      if (watched.target !== null) await restore(root, watched.target);
    };
  }
}

/** Renames the entry that replaced the link, and makes the link again. */
async function restore(root: OpenEntry, target: string): Promise<void> {
  if ((await readGitLink(root)) === target) return;
  const path = `${root.through}/.git`;
  await rename(path, `${path}.replaced-${Date.now()}`).catch(() => undefined);
  await symlink(target, path).catch(() => undefined);
}
