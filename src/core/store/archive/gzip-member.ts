/**
 * Gzip members whose header states their length and the numbers of the events in them. A reader finds the next member
 * without decoding, and ordinary tools (`zcat`) skip the additional field.
 */
import { promisify } from 'node:util';
import { crc32, deflateRaw, inflateRaw } from 'node:zlib';

/** The constant beginning of a header: gzip with an additional field "Tr" of 16 bytes. */
const START = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 20, 0, 0x54, 0x72, 16, 0]);
/** Size of a header: the constant, then four numbers of 32 bits (length, first event, last event, checksum of these). */
export const HEADER_BYTES = START.length + 16;
/** Size of the trailer: checksum and length of the text. */
const END_BYTES = 8;

const deflate = promisify(deflateRaw);
const inflate = promisify<Buffer, Buffer>(inflateRaw);

/** Numbers of the first and the last event in a member; both 0 without events. */
export interface EventRange {
  from: number;
  to: number;
}

export interface MemberHeader extends EventRange {
  /** Length of the whole member. */
  bytes: number;
}

export async function encodeMember(text: string, { from, to }: EventRange): Promise<Buffer> {
  const content = Buffer.from(text);
  const body = await deflate(content);
  const member = Buffer.alloc(HEADER_BYTES + body.length + END_BYTES);
  START.copy(member);
  member.writeUInt32LE(member.length, 16);
  member.writeUInt32LE(from, 20);
  member.writeUInt32LE(to, 24);
  member.writeUInt32LE(crc32(member.subarray(16, 28)), 28);
  body.copy(member, HEADER_BYTES);
  member.writeUInt32LE(crc32(content), member.length - END_BYTES);
  member.writeUInt32LE(content.length % 2 ** 32, member.length - 4);
  return member;
}

/** Returns the text of a member; null if it is damaged. */
export async function decodeMember(member: Buffer): Promise<string | null> {
  try {
    const content = await inflate(member.subarray(HEADER_BYTES, member.length - END_BYTES));
    const isWhole =
      crc32(content) === member.readUInt32LE(member.length - END_BYTES) &&
      content.length % 2 ** 32 === member.readUInt32LE(member.length - 4);
    return isWhole ? content.toString() : null;
  } catch {
    return null;
  }
}

/** Returns the header at this position; null for none. */
export function readHeader(bytes: Buffer, position = 0): MemberHeader | null {
  const header = bytes.subarray(position, position + HEADER_BYTES);
  if (header.length < HEADER_BYTES || !header.subarray(0, START.length).equals(START)) return null;
  if (header.readUInt32LE(28) !== crc32(header.subarray(16, 28))) return null;
  const length = header.readUInt32LE(16);
  if (length < HEADER_BYTES + END_BYTES) return null;
  return { bytes: length, from: header.readUInt32LE(20), to: header.readUInt32LE(24) };
}

/** Returns the position of the first header at or after `from`; -1 for none. */
export function findHeader(bytes: Buffer, from = 0): number {
  for (let at = bytes.indexOf(START, from); at >= 0; at = bytes.indexOf(START, at + 1))
    if (readHeader(bytes, at) !== null) return at;
  return -1;
}
