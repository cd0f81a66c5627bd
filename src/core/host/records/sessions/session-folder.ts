/** A session's folder on disk: files are replaced atomically, a new folder appears complete, foreign files stay. */
import { writeFileSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { writeAtomically } from '#core/base/atomic-file.ts';
import { findRealPath, isOnLocalDisk, readLinkStats } from '#core/base/disk-lookups.ts';
import { codeOf, TriadError } from '#core/base/errors.ts';
import { isOwnFile } from './names.ts';

export interface SessionFile {
  name: string;
  text: string;
}

/** Where sessions are kept: `base` must exist; `folder` below it is created if missing. */
export interface SessionsRoot {
  base: string;
  /** Relative to the base. */
  folder: string;
}

/** Temporary files of interrupted writes. */
const LEFT_OVER = /^\..*\.tmp$/;
/** Sessions are private to their owner. */
const MODE = { folder: 0o700, file: 0o600 };
/** Largest file, in bytes, that is written without a thread on a local disk: the system only copies it to memory. */
const MAX_BYTES_AT_ONCE = 64 * 1024;

export const rootPath = ({ base, folder }: SessionsRoot): string => join(base, folder);

/** Writes the files in the given order, so that links never lead to missing files; returns their number. */
export async function writeSession(
  root: SessionsRoot,
  name: string,
  files: AsyncIterable<SessionFile>,
): Promise<number> {
  const sessions = await makeRoot(root);
  const folder = join(sessions, name);
  const isNew = !(await isFolder(folder));
  const target = isNew ? join(sessions, `.${name}.tmp`) : folder;
  if (isNew) await makeEmpty(target);
  else await removeFiles(folder, (file) => LEFT_OVER.test(file));
  let count = 0;
  for await (const { name: file, text } of files) {
    const [path, bytes] = [join(target, file), Buffer.from(text.toWellFormed(), 'utf8')];
    // Nobody looks into a folder before it has its name.
    if (isNew) await writeNew(path, bytes);
    else await replace(path, bytes);
    count += 1;
  }
  if (isNew) await rename(target, folder);
  return count;
}

async function writeNew(path: string, bytes: Buffer): Promise<void> {
  const isAtOnce = bytes.length <= MAX_BYTES_AT_ONCE && isOnLocalDisk(dirname(dirname(path)));
  if (isAtOnce) writeFileSync(path, bytes, { mode: MODE.file });
  else await writeFile(path, bytes, { mode: MODE.file });
}

/** What an interrupted write has left there goes first. */
async function makeEmpty(folder: string): Promise<void> {
  const make = () => mkdir(folder, { mode: MODE.folder });
  await make().catch(async (error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
    await rm(folder, { recursive: true, force: true });
    await make();
  });
}

export function hasSession(root: SessionsRoot, name: string): Promise<boolean> {
  return isFolder(join(rootPath(root), name));
}

/** Removes the program's files; the folder stays if it has files of the person. */
export async function removeSession(root: SessionsRoot, name: string): Promise<void> {
  const sessions = rootPath(root);
  if (!(await isFolder(join(sessions, name)))) return;
  await assertInside(root);
  await rm(join(sessions, `.${name}.tmp`), { recursive: true, force: true });
  await removeFiles(join(sessions, name), (file) => isOwnFile(file) || LEFT_OVER.test(file));
  await rmdir(join(sessions, name)).catch((error: unknown) => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error) ?? '')) throw error;
  });
}

async function makeRoot(root: SessionsRoot): Promise<string> {
  // A removed project folder is not created again.
  if (!(await isFolder(root.base))) throw new TriadError('not_found', `${root.base} is not there any more`);
  if (!(await isFolder(rootPath(root)))) await mkdir(rootPath(root), { recursive: true, mode: MODE.folder });
  await assertInside(root);
  return rootPath(root);
}

/** Rejects with `not_allowed` if a symbolic link leads out of the root. */
async function assertInside(root: SessionsRoot): Promise<void> {
  const [base, sessions] = await Promise.all([findRealPath(root.base), findRealPath(rootPath(root))]);
  if (base !== null && sessions !== null && relative(base, sessions) === join(root.folder)) return;
  throw new TriadError('not_allowed', `${rootPath(root)} leads to another place: ${sessions}`);
}

/** Skips a file with the same content, so that its modification time stays. */
async function replace(path: string, bytes: Buffer): Promise<void> {
  if (await holds(path, bytes)) return;
  try {
    await writeAtomically(path, bytes, { mode: MODE.file, sync: false });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    // The folder was removed meanwhile.
    await mkdir(dirname(path), { mode: MODE.folder });
    await writeAtomically(path, bytes, { mode: MODE.file, sync: false });
  }
}

async function holds(path: string, bytes: Buffer): Promise<boolean> {
  const file = await open(path, 'r').catch(() => null);
  if (!file) return false;
  try {
    return (await file.stat()).size === bytes.length && bytes.equals(await file.readFile());
  } finally {
    await file.close();
  }
}

async function removeFiles(folder: string, which: (name: string) => boolean): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (!entry.isDirectory() && which(basename(entry.name))) await rm(join(folder, entry.name), { force: true });
}

/** False for a symbolic link. */
async function isFolder(path: string): Promise<boolean> {
  return (await readLinkStats(path))?.isDirectory() ?? false;
}
