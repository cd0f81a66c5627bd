/** The folder of a file-backed store: whether it can be written, checked before the engine touches it. */
import { access, constants, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { TriadError } from '../../base/errors.ts';
import { createUnwritableFolderError } from '../../base/write-refusals.ts';
import { findDiskFull } from '../disk-space.ts';
import { remoteAddress } from '../remote/address.ts';

const ROCKSDB = 'rocksdb://';

/** The folder of a `rocksdb://` URL; null for `mem://` and for a server. Throws `bad_input` for any other. */
export function folderOf(url: string): string | null {
  if (url === 'mem://' || remoteAddress(url) !== null) return null;
  const folder = url.startsWith(ROCKSDB) ? url.slice(ROCKSDB.length) : '';
  // The engine reads what follows a question mark as its own options.
  if (folder !== '' && !folder.includes('?')) return folder;
  // Hides the user name, the password and the options of another kind of URL.
  const shown = url.replace(/^(.*?\/\/)?.*@/, '$1…@').replace(/[?#].*/s, '?…');
  throw new TriadError(
    'bad_input',
    `"${shown}" is not the URL of a store: use wss://HOST/NAMESPACE/DATABASE, mem:// or rocksdb://FOLDER (without a question mark).`,
  );
}

/** Creates the folder if missing. Rejects with `store_unwritable` if the store could not work in it. */
export async function checkFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const shortage = findDiskFull(folder);
    if (shortage) throw createUnwritableFolderError(folder, shortage, 'ENOSPC');
    await probe(join(folder, `.probe-${randomUUID()}`));
    for (const name of await readdir(folder)) await access(join(folder, name), constants.W_OK | constants.R_OK);
  } catch (error) {
    if (error instanceof TriadError) throw error;
    throw createUnwritableFolderError(folder, error);
  }
}

async function probe(path: string): Promise<void> {
  try {
    await writeFile(path, 'probe', { flag: 'wx', mode: 0o600 });
  } finally {
    await rm(path, { force: true });
  }
}
