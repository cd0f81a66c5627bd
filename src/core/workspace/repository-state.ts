/** Reads the branch of the repository around a folder, and whether its tree is clean. */
import type { Git } from './git.ts';
import { findCheckout, parseBranch, readHead, readWithOwnDirectory } from './own-git-directory.ts';

export interface RepositoryState {
  /** Null with a detached head. */
  branch: string | null;
  /** Null if git is missing, fails or takes too long. */
  isClean: boolean | null;
}

/** Longest wait for `git status`, in milliseconds. */
const STATUS_MS = 1500;
const STATUS_ARGS = ['status', '--porcelain', '-z', '--ignore-submodules=all', '--no-renames'];

/** Returns null for a folder outside of any repository. */
export async function readRepositoryState(folder: string, git: Git): Promise<RepositoryState | null> {
  const checkout = await findCheckout(folder);
  const head = checkout && (await readHead(checkout));
  if (!checkout || head === null) return null;
  const call = { args: STATUS_ARGS, needsObjects: true, timeoutMs: STATUS_MS };
  const isClean = await readWithOwnDirectory(git, checkout, call).then(
    (output) => output.length === 0,
    () => null,
  );
  return { branch: parseBranch(head), isClean };
}
