/** A file of gzip members: appends a member so that a kill loses it at most whole, and reads past damage. */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../base/errors.ts';
import { syncFolder, writeFully } from '../durable-files.ts';
import { decodeMember, type EventRange, findHeader, HEADER_BYTES, readHeader } from './gzip-member.ts';

/** Bytes searched at once for the next member behind damage. */
const SEARCH_BYTES = 64 * 1024;

interface ArchivedMember extends EventRange {
  text: string;
}

/** A part of a file that cannot be read. */
export interface ArchiveDamage {
  file: string;
  /** Position of the member in the file, counted from 1. */
  member: number;
  bytes: number;
  /** Numbers of the events in it; null if its header cannot be read. */
  events: EventRange | null;
  /** True if the file ends within the member: an append was interrupted. The next append writes it again. */
  isTorn: boolean;
}

export type ReadMember = { member: ArchivedMember; damage?: never } | { damage: ArchiveDamage; member?: never };

/** State of a file's end, for the next append. */
export interface ArchiveEnd {
  /** Length of the file without a torn last member. */
  bytes: number;
  /** Highest event number in the file; 0 for none. */
  lastSeq: number;
  /** Text of the last member; null for none. */
  text: string | null;
}

export const EMPTY_END: ArchiveEnd = { bytes: 0, lastSeq: 0, text: null };

/** Yields the members in order, one in memory at a time; nothing for a missing file. */
export async function* readMembers(path: string): AsyncGenerator<ReadMember> {
  const handle = await openToRead(path);
  if (handle === null) return;
  try {
    const { size } = await handle.stat();
    let [number, offset] = [1, 0];
    for (; offset < size; number += 1) {
      const header = readHeader(await bytesAt(handle, offset, HEADER_BYTES));
      const end = header && offset + header.bytes;
      if (header && end !== null && end <= size) {
        const text = await decodeMember(await bytesAt(handle, offset, header.bytes));
        if (text !== null) {
          yield { member: { from: header.from, to: header.to, text } };
          offset = end;
          continue;
        }
      }
      const next = await nextMember(handle, { after: offset, stated: end, size });
      const isTorn = next === size && (header === null || end === null || end > size);
      const events = header && { from: header.from, to: header.to };
      yield { damage: { file: path, member: number, bytes: next - offset, events, isTorn } };
      offset = next;
    }
  } finally {
    await handle.close();
  }
}

/** Position of the member behind a damaged one: by its length, else the next header, else the end of the file. */
async function nextMember(
  handle: FileHandle,
  { after, stated, size }: { after: number; stated: number | null; size: number },
): Promise<number> {
  if (stated === size) return size;
  if (stated !== null && stated < size && readHeader(await bytesAt(handle, stated, HEADER_BYTES))) return stated;
  for (let from = after + 1; from < size; from += SEARCH_BYTES) {
    const at = findHeader(await bytesAt(handle, from, SEARCH_BYTES + HEADER_BYTES));
    if (at >= 0) return from + at;
  }
  return size;
}

/** Reads all headers and decodes the last member. A last member that cannot be decoded counts as torn. */
export async function readEnd(path: string): Promise<ArchiveEnd> {
  const handle = await openToRead(path);
  if (handle === null) return EMPTY_END;
  try {
    const { size } = await handle.stat();
    let archiveEnd: ArchiveEnd = EMPTY_END;
    for (let offset = 0; offset < size; offset = archiveEnd.bytes) {
      const header = readHeader(await bytesAt(handle, offset, HEADER_BYTES));
      const end = header && offset + header.bytes;
      const isFollowed = end !== null && end < size && readHeader(await bytesAt(handle, end, HEADER_BYTES)) !== null;
      let text: string | null = null;
      if (header && end !== null && end <= size && !isFollowed)
        text = await decodeMember(await bytesAt(handle, offset, header.bytes));
      if (header && end !== null && (isFollowed || text !== null)) {
        archiveEnd = { bytes: end, lastSeq: Math.max(archiveEnd.lastSeq, header.to), text };
        continue;
      }
      const next = await nextMember(handle, { after: offset, stated: end, size });
      if (next === size) return archiveEnd;
      archiveEnd = { bytes: next, lastSeq: archiveEnd.lastSeq, text: null };
    }
    return archiveEnd;
  } finally {
    await handle.close();
  }
}

/** Truncates the file to the end that `readEnd` returned, appends the member and syncs. */
export async function appendMember(path: string, end: Pick<ArchiveEnd, 'bytes'>, member: Buffer): Promise<void> {
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    const { size } = await handle.stat();
    if (size > end.bytes) await handle.truncate(end.bytes);
    await writeFully(handle, member, end.bytes);
    await handle.sync();
    if (size === 0) {
      // The mode given to open is narrowed by the umask.
      await handle.chmod(0o600);
      await syncFolder(dirname(path));
    }
  } finally {
    await handle.close();
  }
}

export async function makeArchiveFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

async function openToRead(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, constants.O_RDONLY);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Returns fewer bytes at the end of the file. */
async function bytesAt(handle: FileHandle, position: number, count: number): Promise<Buffer> {
  const buffer = Buffer.alloc(count);
  let readBytes = 0;
  while (readBytes < count) {
    const { bytesRead } = await handle.read(buffer, readBytes, count - readBytes, position + readBytes);
    if (bytesRead === 0) break;
    readBytes += bytesRead;
  }
  return buffer.subarray(0, readBytes);
}
