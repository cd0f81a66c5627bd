/** What must be known of a store's folder before the engine opens it: its version, and whether it is whole. */
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { historyText, stamp } from '../backups/backups.ts';
import { beganAt, markBegan } from '../backups/began.ts';
import { copyStore, type Look, lookInto } from '../backups/copy.ts';
import { syncFolder } from '../durable-files.ts';
import { StoreDamaged } from '../faults.ts';
import { type Migration, refuseNewer } from './migrate.ts';
import { backUp } from './upgrade.ts';

/** Files that hold what was committed; an empty one holds nothing. */
const DATA = /\.(sst|blob|log)$/;

/**
 * Rejects a newer or damaged store and backs one up that needs a migration. Returns its version, 0 for a new one. A
 * store whose version was never recorded is not damaged but unfinished, and nobody was told that anything is in it:
 * the engine goes on with it; one that it cannot read is set aside, and `warn` is told.
 */
export async function prepareFolder(
  folder: string,
  migrations: readonly Migration[],
  warn: (line: string) => void,
): Promise<number> {
  const version = await recordedVersion(folder);
  refuseNewer(version, migrations);
  if (!(await readdir(folder)).includes('CURRENT')) {
    const holds = await holdsData(folder);
    if (holds && version > 0) throw new StoreDamaged(folder, 'the file CURRENT is missing');
    if (holds) await setAside(folder, warn);
    const history = historyText(folder);
    if (history !== null) await markBegan(folder);
    else if (version > 0) warn(`The store in ${folder} is gone, so an empty one was made. There is no backup of it.`);
    await warnOfBeginning(folder, warn);
    // Of a store that somebody moved away: this one is not finished until its own is recorded.
    await rm(versionFile(folder), { force: true });
    return 0;
  }
  if (version === 0) return prepareUnrecorded(folder, migrations, warn);
  await warnOfBeginning(folder, warn);
  if ((await isManifestTruncated(folder)) && !(await isTruncationHarmless(folder)))
    throw new StoreDamaged(folder, 'the list of its files is cut off');
  if (version < migrations.length) await backUp(folder, version);
  return version;
}

async function prepareUnrecorded(
  folder: string,
  migrations: readonly Migration[],
  warn: (line: string) => void,
): Promise<number> {
  const { look, losesTables } = await tryOnCopy(folder);
  if (look === null) {
    await backUp(folder, 0);
    return 0;
  }
  if (look.ok && look.version !== null) {
    // Only the record was lost.
    await recordVersion(folder, look.version);
    return prepareFolder(folder, migrations, warn);
  }
  const isEmpty =
    look.ok &&
    look.missing === null &&
    look.conversations === 0 &&
    !((await isManifestTruncated(folder)) && losesTables);
  if (!isEmpty) await setAside(folder, warn);
  return 0;
}

async function setAside(folder: string, warn: (line: string) => void): Promise<void> {
  const aside = `${folder}.set-aside-${stamp()}`;
  await rename(folder, aside);
  warn(
    `The store in ${folder} was never finished and cannot be read: it was set aside as ${aside}, a new one is made.`,
  );
}

/** At every start, as long as what came before lies beside it: nobody must take this history for all there was. */
async function warnOfBeginning(folder: string, warn: (line: string) => void): Promise<void> {
  const began = await beganAt(folder);
  const history = began === null ? null : historyText(folder, began);
  if (history !== null)
    warn(`The store in ${folder} was gone, so an empty one was made at ${began}. What was in it before: ${history}`);
}

async function holdsData(folder: string): Promise<boolean> {
  const names = (await readdir(folder)).filter((name) => DATA.test(name));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.some((size) => size > 0);
}

/**
 * For a store whose manifest is truncated: after a crash nothing is missing, but otherwise the engine would delete
 * files that the manifest no longer names.
 */
async function isTruncationHarmless(folder: string): Promise<boolean> {
  const { look, losesTables } = await tryOnCopy(folder);
  return look?.ok === true && look.missing === null && !losesTables;
}

/** `losesTables`: the engine deletes files when it opens the folder, those that its list does not name or that it merged. */
async function tryOnCopy(folder: string): Promise<{ look: Look | null; losesTables: boolean }> {
  const copy = `${folder}.check`;
  const tables = async (of: string) => (await readdir(of)).filter((name) => name.endsWith('.sst'));
  try {
    const before = await tables(folder);
    await copyStore(folder, copy);
    const look = await lookInto(copy);
    const after = await tables(copy);
    return { look, losesTables: !before.every((name) => after.includes(name)) };
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** The version is also kept beside the folder, because it must be known before the store is opened. */
function versionFile(folder: string): string {
  return `${folder}.schema-version`;
}

async function recordedVersion(folder: string): Promise<number> {
  const text = await readFile(versionFile(folder), 'utf8').catch(() => '');
  return /^\d+\s*$/.test(text) ? Number(text) : 0;
}

export async function recordVersion(folder: string, version: number): Promise<void> {
  const partial = `${versionFile(folder)}.partial`;
  const handle = await open(partial, 'w');
  try {
    await handle.writeFile(`${version}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, versionFile(folder));
  await syncFolder(dirname(folder));
}

/** Records lie in blocks, each behind a checksum of four bytes, its length in two, and its kind in one. */
const BLOCK = 32 * 1024;
const HEADER = 7;
const [NONE, FULL, LAST] = [0, 1, 4];
const KINDS = 8;

/**
 * Returns whether RocksDB's manifest, the list of its files, ends within a record. RocksDB treats such an end as a crash
 * during a write. It ignores the rest, and deletes the files that the manifest no longer lists.
 */
async function isManifestTruncated(folder: string): Promise<boolean> {
  const current = await readFile(join(folder, 'CURRENT'), 'utf8').catch(() => '');
  const name = current.trim();
  if (!/^MANIFEST-\d+$/.test(name)) return false;
  const bytes = await readFile(join(folder, name)).catch(() => null);
  return bytes !== null && endsWithin(bytes);
}

function endsWithin(bytes: Buffer): boolean {
  let kind = FULL;
  for (let at = 0; at < bytes.length;) {
    const left = BLOCK - (at % BLOCK);
    if (left < HEADER) {
      at += left;
      continue;
    }
    if (at + HEADER > bytes.length) return true;
    const next = bytes.readUInt8(at + 6);
    // Space that was taken from the disk ahead, or no list at all, which the engine notices itself.
    if (next === NONE || next > KINDS) return false;
    kind = next;
    at += HEADER + bytes.readUInt16LE(at + 4);
    if (at > bytes.length) return true;
  }
  return kind !== FULL && kind !== LAST;
}
