/**
 * Whether RocksDB's manifest, the list of its files, ends in the middle of a record. The engine treats that as a crash
 * during a write: it ignores the rest and deletes the files that are no longer listed.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Records lie in blocks, each behind a checksum of four bytes, its length in two, and its kind in one. */
const BLOCK = 32 * 1024;
const HEADER = 7;
const [NONE, FULL, LAST] = [0, 1, 4];
const KINDS = 8;

export async function isManifestTruncated(folder: string): Promise<boolean> {
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
