/**
 * Reads the branch of the repository around a folder, and whether its tree is clean. Nothing of the repository runs: git
 * gets a git directory of our own, so filters, hooks and settings of the repository do not apply.
 */
import { constants } from 'node:fs';
import { mkdir, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type Git, WITHOUT_SETTINGS } from './git.ts';

export interface RepositoryState {
  /** Null with a detached head. */
  branch: string | null;
  /** Null if git is missing, fails or takes too long. */
  isClean: boolean | null;
}

/** Longest wait for `git status`, in milliseconds. */
const STATUS_MS = 1500;
/** Largest `HEAD`, `commondir` and loose reference, in bytes. */
const MAX_POINTER_BYTES = 4096;
/** Largest `packed-refs` and `info/exclude`, in bytes. */
const MAX_REFS_BYTES = 20_000_000;
/** Largest index, in bytes. */
const MAX_INDEX_BYTES = 100_000_000;

const BRANCH = /^ref: refs\/heads\/([^\s\p{C}]{1,200})$/u;
const OBJECT_ID = /^[0-9a-f]{40}$/;

interface Repository {
  /** Folder that has `.git`. */
  top: string;
  /** Has `HEAD` and `index`. */
  gitFolder: string;
  /** Has `objects` and `refs`; differs from `gitFolder` in a worktree. */
  commonFolder: string;
}

/** Returns null for a folder outside of any repository. */
export async function readRepositoryState(folder: string, git: Git): Promise<RepositoryState | null> {
  const repository = await findRepository(folder);
  if (!repository) return null;
  const head = await readPointer(join(repository.gitFolder, 'HEAD'));
  if (head === null) return null;
  const isClean = await checkClean(repository, head, git).catch(() => null);
  return { branch: BRANCH.exec(head)?.[1] ?? null, isClean };
}

async function findRepository(folder: string): Promise<Repository | null> {
  for (let top = folder; ; top = dirname(top)) {
    const entry = join(top, '.git');
    const stats = await stat(entry).catch(() => null);
    if (stats) {
      const pointer = stats.isFile() ? await readPointer(entry) : null;
      const gitFolder = pointer?.startsWith('gitdir: ') ? resolve(top, pointer.slice('gitdir: '.length)) : entry;
      const common = await readPointer(join(gitFolder, 'commondir'));
      return { top, gitFolder, commonFolder: common === null ? gitFolder : resolve(gitFolder, common) };
    }
    if (top === dirname(top)) return null;
  }
}

/** Returns the first line of a small file; null if there is none. */
async function readPointer(file: string): Promise<string | null> {
  const bytes = await readBounded(file, MAX_POINTER_BYTES);
  return bytes === null ? null : (bytes.toString('utf8').split('\n', 1)[0]?.trim() ?? '');
}

/** Returns the content of a regular file; null for anything else, such as a pipe, and for a larger file. */
async function readBounded(file: string, maxBytes: number): Promise<Buffer | null> {
  // Without waiting: opening a pipe would wait for its other end.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (!handle) return null;
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > maxBytes) return null;
    const buffer = Buffer.alloc(stats.size);
    const { bytesRead } = await handle.read(buffer, 0, stats.size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Rejects if git is missing, fails or takes too long, and for a repository that borrows objects of another one. */
async function checkClean({ top, gitFolder, commonFolder }: Repository, head: string, git: Git): Promise<boolean> {
  const objects = join(commonFolder, 'objects');
  if (await stat(join(objects, 'info', 'alternates')).catch(() => null))
    throw new Error('The repository has alternates');
  const own = await mkdtemp(join(tmpdir(), 'triad-git-'));
  try {
    await Promise.all(['objects', 'refs', 'info'].map((name) => mkdir(join(own, name))));
    await writeFile(join(own, 'HEAD'), `${await resolveHead(commonFolder, head)}\n`);
    await writeFile(join(own, 'info', 'attributes'), '* !filter !diff !merge\n');
    await copyBounded(join(gitFolder, 'index'), join(own, 'index'), MAX_INDEX_BYTES);
    await copyBounded(join(commonFolder, 'info', 'exclude'), join(own, 'info', 'exclude'), MAX_REFS_BYTES);
    const output = await git.run({
      args: ['status', '--porcelain', '-z', '--ignore-submodules=all', '--no-renames'],
      cwd: top,
      timeoutMs: STATUS_MS,
      env: {
        GIT_DIR: own,
        GIT_WORK_TREE: top,
        GIT_OBJECT_DIRECTORY: join(own, 'objects'),
        // Quoted, because an unquoted path ends at a colon.
        GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects),
        ...WITHOUT_SETTINGS,
        GIT_ALLOW_PROTOCOL: 'none',
      },
    });
    return output.length === 0;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/** Copies a regular file. A missing one is left out; throws for a larger one, and for anything else. */
async function copyBounded(from: string, to: string, maxBytes: number): Promise<void> {
  if (!(await stat(from).catch(() => null))) return;
  const bytes = await readBounded(from, maxBytes);
  if (bytes === null) throw new Error(`${from} is not a file, or too large`);
  await writeFile(to, bytes);
}

/** Returns the commit of a branch, or the branch itself before its first commit. */
async function resolveHead(commonFolder: string, head: string): Promise<string> {
  const name = BRANCH.exec(head)?.[1];
  if (name === undefined) return head;
  const reference = `refs/heads/${name}`;
  if (isAbsolute(name) || name.split('/').includes('..')) throw new Error('The name of the branch is not valid');
  const loose = await readPointer(join(commonFolder, reference));
  if (loose !== null && OBJECT_ID.test(loose)) return loose;
  const file = join(commonFolder, 'packed-refs');
  const lines = (await readBounded(file, MAX_REFS_BYTES))?.toString('utf8').split('\n') ?? [];
  return lines.find((line) => line.slice(41) === reference)?.slice(0, 40) ?? head;
}
