/**
 * The byte format of a journal file. All integers are unsigned, 32 bits, little-endian.
 *
 * A file is a header, then records of one generation, then zeros or records of an older generation.
 * Header (64 bytes): magic, format version, store id (16 bytes), CRC-32 of the bytes before it.
 * Record: payload length, CRC-32 of everything after it, generation, number, CRC-32 of the record before, payload.
 */
import { crc32 } from 'node:zlib';

export const HEADER_BYTES = 64;
const MAGIC = Buffer.from('TRIADJNL', 'latin1');
const FORMAT_VERSION = 1;
const ID_BYTES = 16;
const HEADER_CRC_AT = MAGIC.length + 4 + ID_BYTES;

const RECORD_HEADER_BYTES = 20;
/** Offset of the generation in a record, behind the length and the CRC. */
const GENERATION_AT = 8;

export interface JournalRecord {
  /** Number of the flush that stores the record. */
  generation: number;
  /** Position in its generation, from 0. */
  number: number;
  payload: Buffer;
}

/** Position of the next record of a generation. */
export interface RecordPosition {
  generation: number;
  number: number;
  /** CRC-32 of the record before; 0 for the first record. */
  previousCrc: number;
}

/** `storeId`: a UUID. */
export function encodeHeader(storeId: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(FORMAT_VERSION, MAGIC.length);
  header.write(storeId.replaceAll('-', ''), MAGIC.length + 4, 'hex');
  header.writeUInt32LE(crc32(header.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT);
  return header;
}

/** Returns the store id of a header, as a UUID; null if the bytes are not a header of this format version. */
export function decodeHeader(file: Buffer): string | null {
  if (file.length < HEADER_BYTES || !file.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  if (file.readUInt32LE(HEADER_CRC_AT) !== crc32(file.subarray(0, HEADER_CRC_AT))) return null;
  if (file.readUInt32LE(MAGIC.length) !== FORMAT_VERSION) return null;
  const hex = file.toString('hex', MAGIC.length + 4, HEADER_CRC_AT);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns the bytes of a record and its CRC, which the next record of the generation contains. */
export function encodeRecord(position: RecordPosition, payload: Buffer): { bytes: Buffer; crc: number } {
  const bytes = Buffer.allocUnsafe(RECORD_HEADER_BYTES + payload.length);
  bytes.writeUInt32LE(payload.length, 0);
  bytes.writeUInt32LE(position.generation, GENERATION_AT);
  bytes.writeUInt32LE(position.number, 12);
  bytes.writeUInt32LE(position.previousCrc, 16);
  payload.copy(bytes, RECORD_HEADER_BYTES);
  const crc = recordCrc(bytes);
  bytes.writeUInt32LE(crc, 4);
  return { bytes, crc };
}

/** Covers the payload length too, so that a changed length is noticed. */
function recordCrc(record: Buffer): number {
  return crc32(record.subarray(GENERATION_AT), crc32(record.subarray(0, 4)));
}

export interface JournalContent {
  /** In order; with damage, records behind the unreadable part are included. */
  records: JournalRecord[];
  /** Some records of the newest generation cannot be read although later ones exist. */
  isDamaged: boolean;
  /** The bytes behind the last readable record start like the next record, but do not match their checksum. */
  isLastRecordCut: boolean;
}

/**
 * Reads the records of a file that are newer than the generation `applied`. Bytes behind them are the unacknowledged
 * end, or records of an older generation, unless a record of a newer generation follows: that is damage.
 */
export function readRecords(file: Buffer, applied: number): JournalContent {
  const records: JournalRecord[] = [];
  let at = HEADER_BYTES;
  let position: RecordPosition | null = null;
  for (;;) {
    const record = readRecord(file, at);
    if (record === null || !isNext(record, position, applied)) break;
    records.push(record);
    position = { generation: record.generation, number: record.number + 1, previousCrc: record.crc };
    at = record.end;
  }
  const isLastRecordCut = position !== null && startsLikeRecord(file, at, position);
  const later = findLaterRecords(file, at, position, applied);
  return { records: [...records, ...later], isDamaged: later.length > 0, isLastRecordCut };
}

interface ReadRecord extends JournalRecord {
  previousCrc: number;
  crc: number;
  /** Offset behind the record. */
  end: number;
}

function readRecord(file: Buffer, at: number): ReadRecord | null {
  if (at + RECORD_HEADER_BYTES > file.length) return null;
  const end = at + RECORD_HEADER_BYTES + file.readUInt32LE(at);
  const crc = file.readUInt32LE(at + 4);
  if (end > file.length || recordCrc(file.subarray(at, end)) !== crc) return null;
  return {
    generation: file.readUInt32LE(at + GENERATION_AT),
    number: file.readUInt32LE(at + 12),
    previousCrc: file.readUInt32LE(at + 16),
    payload: file.subarray(at + RECORD_HEADER_BYTES, end),
    crc,
    end,
  };
}

function isNext(record: ReadRecord, position: RecordPosition | null, applied: number): boolean {
  if (record.generation <= applied) return false;
  if (position === null) return record.number === 0;
  const { generation, number, previousCrc } = position;
  return record.generation === generation && record.number === number && record.previousCrc === previousCrc;
}

/** Two matching fields are no coincidence in the bytes of an older record, and one may be the changed one. */
function startsLikeRecord(file: Buffer, at: number, { generation, number, previousCrc }: RecordPosition): boolean {
  if (at + RECORD_HEADER_BYTES > file.length) return false;
  const matches = [generation, number, previousCrc].filter(
    (value, index) => file.readUInt32LE(at + GENERATION_AT + 4 * index) === value,
  );
  return matches.length >= 2;
}

/** Records of a newer generation behind an unreadable one. Its length is unknown, so the search is for the generation. */
function findLaterRecords(
  file: Buffer,
  from: number,
  position: RecordPosition | null,
  applied: number,
): JournalRecord[] {
  const generations = position ? [position.generation] : [applied + 1, applied + 2, applied + 3];
  return generations.flatMap((generation) => findRecords(file, from, generation, position?.number ?? 0));
}

function findRecords(file: Buffer, from: number, generation: number, firstNumber: number): JournalRecord[] {
  const laterRecords: JournalRecord[] = [];
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(generation);
  let next = firstNumber;
  for (let at = from; ;) {
    const field = file.indexOf(bytes, at + GENERATION_AT);
    if (field < 0) return laterRecords;
    const record = readRecord(file, field - GENERATION_AT);
    const isLater = record?.generation === generation && record.number >= next;
    if (isLater) laterRecords.push(record);
    if (isLater) next = record.number + 1;
    at = isLater ? record.end : field - GENERATION_AT + 1;
  }
}
