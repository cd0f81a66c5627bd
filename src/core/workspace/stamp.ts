/** By what a file is known again: its content, where all of it was seen, else what the system says of it. */
import type { BigIntStats } from 'node:fs';
import { sha256 } from '../base/hash.ts';

/** `seen`: all bytes of the file, or what it was before a part of it was read. JSON keeps it. */
export function stampOf(seen: Buffer | BigIntStats): string {
  if (Buffer.isBuffer(seen)) return `sha256 ${sha256(seen)}`;
  const { size, mtimeNs, ino, ctimeNs } = seen;
  return `stat ${[size, mtimeNs, ino, ctimeNs].join(' ')}`;
}

/**
 * Whether the file is still what it was: a touch changes nothing for one that was seen whole, as long as its bytes are the
 * same. `stats`: null where the bytes are not those on the disk.
 */
export function isUnchanged(stamp: string, bytes: Buffer, stats: BigIntStats | null): boolean {
  return stamp === stampOf(bytes) || (stats !== null && stamp === stampOf(stats));
}
