/**
 * Reads the repository of a person through a git directory of Triad. Hooks, filters, attributes and settings of the
 * repository do not apply, so nothing of the repository runs.
 */
import { constants } from 'node:fs';
import { mkdir, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { lookAtOnce } from '../base/disk-lookups.ts';
import { type Git, WITHOUT_SETTINGS } from './git.ts';
import { MAX_POINTER_BYTES, parseGitPointer } from './git-pointers.ts';

/** The folder with `.git`, and the git directory, which has `HEAD` and `index`. */
export interface Checkout {
  folder: string;
  gitFolder: string;
}

/** Largest `packed-refs` and `info/exclude`, in bytes. */
const MAX_REFS_BYTES = 20_000_000;
/** Largest index, in bytes. */
const MAX_INDEX_BYTES = 100_000_000;

const BRANCH = /^ref: refs\/heads\/([^\s\p{C}]{1,200})$/u;
const OBJECT_ID = /^[0-9a-f]{40}$/;

/** Returns the checkout around a folder; null outside of any repository. */
export async function findCheckout(start: string): Promise<Checkout | null> {
  for (let folder = start; ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    const stats = lookAtOnce(entry) === null ? null : await stat(entry).catch(() => null);
    if (stats) return { folder, gitFolder: (stats.isFile() ? await readPointer(entry) : null) ?? entry };
    if (folder === dirname(folder)) return null;
  }
}

/** Returns the trimmed content of `HEAD`; null if there is none. */
export async function readHead({ gitFolder }: Checkout): Promise<string | null> {
  const bytes = await readBounded(join(gitFolder, 'HEAD'), MAX_POINTER_BYTES);
  return bytes === null ? null : bytes.toString('utf8').trim();
}

/** Returns the name of the branch in the content of `HEAD`; null with a detached head. */
export const parseBranch = (head: string): string | null => BRANCH.exec(head)?.[1] ?? null;

interface ReadCall {
  args: readonly string[];
  /** True if git reads objects. */
  needsObjects: boolean;
  timeoutMs?: number;
}

/**
 * Returns the output of a git command that only reads. Pass `--ignore-submodules=all` if the command compares files:
 * otherwise git starts itself in submodules, with their settings. Rejects if git is missing, fails or takes too long. Also
 * rejects if a file of the repository is too large or no file, or if needed objects are in another repository.
 */
export async function readWithOwnDirectory(
  git: Git,
  checkout: Checkout,
  { args, needsObjects, timeoutMs }: ReadCall,
): Promise<Buffer> {
  const { folder, gitFolder } = checkout;
  const commonFolder = await readCommonFolder(gitFolder);
  const objects = join(commonFolder, 'objects');
  if (needsObjects && (await stat(join(objects, 'info', 'alternates')).catch(() => null)))
    throw new Error('The repository has alternates');
  const ownFolder = await mkdtemp(join(tmpdir(), 'triad-git-'));
  try {
    await Promise.all(['objects', 'refs', 'info'].map((name) => mkdir(join(ownFolder, name))));
    const head = (await readHead(checkout)) ?? 'ref: refs/heads/missing';
    await writeFile(join(ownFolder, 'HEAD'), `${await resolveHead(commonFolder, head)}\n`);
    await writeFile(join(ownFolder, 'info', 'attributes'), '* !filter !diff !merge\n');
    await copyBounded(join(gitFolder, 'index'), join(ownFolder, 'index'), MAX_INDEX_BYTES);
    await copyBounded(join(commonFolder, 'info', 'exclude'), join(ownFolder, 'info', 'exclude'), MAX_REFS_BYTES);
    return await git.run({
      args,
      cwd: folder,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      env: {
        ...WITHOUT_SETTINGS,
        GIT_DIR: ownFolder,
        GIT_WORK_TREE: folder,
        GIT_OBJECT_DIRECTORY: join(ownFolder, 'objects'),
        // Quoted, because an unquoted path ends at a colon.
        ...(needsObjects ? { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) } : {}),
        GIT_ALLOW_PROTOCOL: 'none',
      },
    });
  } finally {
    await rm(ownFolder, { recursive: true, force: true });
  }
}

/** Returns the git directory that has the objects and branches of a git directory. */
export async function readCommonFolder(gitFolder: string): Promise<string> {
  return (await readPointer(join(gitFolder, 'commondir'))) ?? gitFolder;
}

async function readPointer(path: string): Promise<string | null> {
  const bytes = await readBounded(path, MAX_POINTER_BYTES);
  return bytes && parseGitPointer(path, bytes);
}

/** Returns the content of a regular file; null for anything else, such as a pipe, and for a larger file. */
async function readBounded(file: string, maxBytes: number): Promise<Buffer | null> {
  // `O_NONBLOCK`, because opening a pipe would wait for its other end.
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

/** Copies a regular file. A missing one is left out; throws for a larger one, and for anything else. */
async function copyBounded(from: string, to: string, maxBytes: number): Promise<void> {
  if (!(await stat(from).catch(() => null))) return;
  const bytes = await readBounded(from, maxBytes);
  if (bytes === null) throw new Error(`${from} is not a file, or too large`);
  await writeFile(to, bytes);
}

/** Returns the commit of a branch, or the branch itself before its first commit. */
async function resolveHead(commonFolder: string, head: string): Promise<string> {
  const name = parseBranch(head);
  if (name === null) return head;
  const reference = `refs/heads/${name}`;
  if (isAbsolute(name) || name.split('/').includes('..')) throw new Error('The name of the branch is not valid');
  const loose = (await readBounded(join(commonFolder, reference), MAX_POINTER_BYTES))?.toString('utf8').trim();
  if (loose !== undefined && OBJECT_ID.test(loose)) return loose;
  const lines = (await readBounded(join(commonFolder, 'packed-refs'), MAX_REFS_BYTES))?.toString('utf8').split('\n');
  return lines?.find((line) => line.slice(41) === reference)?.slice(0, 40) ?? head;
}
