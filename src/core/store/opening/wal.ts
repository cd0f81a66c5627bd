/**
 * Whether RocksDB's log of what was committed, but is in no table yet, is damaged in its middle. The engine would open
 * such a store and silently leave out everything from the fault on, which was acknowledged once. A fault at the end is
 * a crash during a write, of which nothing was acknowledged.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Records lie in blocks, each behind a checksum of four bytes, its length in two, and its kind in one. */
const BLOCK = 32 * 1024;
const HEADER = 7;
const LOG = /^\d+\.log$/;

/** The name of the first log with such a fault, or null. */
export async function damagedLog(folder: string): Promise<string | null> {
  for (const name of (await readdir(folder)).filter((file) => LOG.test(file)).sort())
    if (hasFaultWithin(await readFile(join(folder, name)))) return name;
  return null;
}

function hasFaultWithin(bytes: Buffer): boolean {
  for (let at = 0; at + HEADER <= bytes.length;) {
    const left = BLOCK - (at % BLOCK);
    if (left < HEADER) {
      at += left;
      continue;
    }
    const length = lengthAt(bytes, at);
    if (length === null) return isFollowed(bytes, at);
    at += length;
  }
  return false;
}

/** Bytes of the record that begins here, with its header; null where none does. */
function lengthAt(bytes: Buffer, at: number): number | null {
  const length = HEADER + bytes.readUInt16LE(at + 4);
  // Space that was taken from the disk ahead has no kind.
  if (bytes[at + 6] === 0 || length > BLOCK - (at % BLOCK) || at + length > bytes.length) return null;
  return masked(crc32c(bytes, at + 6, at + length)) === bytes.readUInt32LE(at) ? length : null;
}

/** Whether a whole record comes after what cannot be read: somewhere in the same block, or at the start of another. */
function isFollowed(bytes: Buffer, fault: number): boolean {
  const end = Math.min(bytes.length, fault - (fault % BLOCK) + BLOCK);
  for (let at = fault + 1; at + HEADER <= end; at += 1) if (lengthAt(bytes, at) !== null) return true;
  for (let at = end; at + HEADER <= bytes.length; at += BLOCK) if (lengthAt(bytes, at) !== null) return true;
  return false;
}

const masked = (crc: number) => (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;

/** What one byte does to the sum, and what it does with one, two or three bytes behind it. */
const [ONE, TWO, THREE, FOUR] = tables();

function tables(): [Uint32Array, Uint32Array, Uint32Array, Uint32Array] {
  const one = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
    return value;
  });
  const next = (table: Uint32Array) => table.map((value) => (value >>> 8) ^ one[value & 0xff]!);
  const two = next(one);
  const three = next(two);
  return [one, two, three, next(three)];
}

/** Four bytes at a time: every start sums up what may be some megabytes. */
function crc32c(bytes: Buffer, from: number, to: number): number {
  let crc = 0xffffffff;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc = FOUR[crc & 0xff]! ^ THREE[(crc >>> 8) & 0xff]! ^ TWO[(crc >>> 16) & 0xff]! ^ ONE[crc >>> 24]!;
  }
  for (; at < to; at += 1) crc = (crc >>> 8) ^ ONE[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}
