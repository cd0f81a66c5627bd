/**
 * The journal of a store: two preallocated files beside the store's folder, which take turns. An appended record is on
 * the disk when `append` resolves. A flush stores the records of one generation in the database; then their file is
 * used again. The files are private to the person (mode 0600).
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isOnLocalDisk } from '../../base/disk-lookups.ts';
import { codeOf } from '../../base/errors.ts';
import { createUnwritableFolderError } from '../../base/write-refusals.ts';
import { stamp } from '../backups/backups.ts';
import { DiskFull, isDiskFull } from '../disk-space.ts';
import { readWithoutZeros, syncFolder, writeFully, writeFullyNow, writeZeros } from '../durable-files.ts';
import {
  decodeHeader,
  encodeHeader,
  encodeRecord,
  HEADER_BYTES,
  type JournalContent,
  type JournalRecord,
  readRecords,
  type RecordPosition,
} from './journal-format.ts';

/** Preallocated size of each file, in bytes: a write within it changes no metadata, which makes the sync cheaper. */
const FILE_BYTES = 4 * 1024 * 1024;
/** Size of the active file, in bytes, above which commits wait for the running flush. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Largest record, in bytes, that is written without a thread on a local disk: the system only copies it to memory. */
const MAX_BYTES_AT_ONCE = 64 * 1024;
const FILES = ['a.journal', 'b.journal'] as const;

export interface OpenedJournal {
  journal: Journal;
  /** Records that the database lacks, in the order of their commits. */
  records: JournalRecord[];
  /** Folder to which the journal of another store was moved; null if there was none. */
  setAside: string | null;
  /**
   * `record`: a record cannot be read although later ones exist. `database`: the database lacks flushes whose records
   * the journal no longer has. `missing`: a file was deleted or truncated, so changes that were not flushed are lost.
   * `end`: the last record is incomplete, so it was not acknowledged, or it is damaged.
   */
  damage: 'record' | 'database' | 'missing' | 'end' | null;
}

/** Folder of the journal of a store's folder: beside the folder `store` of a data folder, else in the store's folder. */
export function getJournalFolder(storeFolder: string): string {
  const name = basename(storeFolder);
  return name === 'store' ? join(dirname(storeFolder), 'journal') : join(storeFolder, 'journal');
}

/** Creates the journal of a store that comes without one, such as a restored backup: no changes are missing then. */
export async function createBlankJournal(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of FILES) await writeFile(join(folder, name), Buffer.alloc(HEADER_BYTES), { mode: 0o600 });
}

/** Codes of a folder or a file that this user cannot write, or that is not what the journal made. */
const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOTDIR', 'EISDIR', 'ELOOP']);

/**
 * Opens the journal of the store `storeId`, or creates it. `applied`: the newest generation in the database. A journal
 * of another store is renamed and never replayed. Rejects with `store_unwritable` if its files cannot be opened.
 */
export async function openJournal(folder: string, state: { storeId: string; applied: number }): Promise<OpenedJournal> {
  return openOwn(folder, state).catch((error: unknown) => {
    throw UNWRITABLE.has(codeOf(error) ?? '') ? createUnwritableFolderError(folder, error) : error;
  });
}

async function openOwn(
  folder: string,
  { storeId, applied }: { storeId: string; applied: number },
): Promise<OpenedJournal> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let setAside: string | null = null;
  let files = await openFiles(folder);
  if (files.some(({ owner }) => owner !== null && owner !== storeId)) {
    await closeFiles(files);
    setAside = `${folder}.set-aside-${stamp()}`;
    await rename(folder, setAside);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    files = await openFiles(folder);
  }
  try {
    const contents = files.map(({ content }) => readRecords(content, applied));
    const records = contents.flatMap(({ records: found }) => found).sort(compareRecords);
    const generation = Math.max(applied, ...records.map((record) => record.generation)) + 1;
    await prepareFiles(folder, files, storeId);
    const handles = files.map(({ handle }) => handle);
    return {
      journal: new Journal(folder, handles, generation),
      records,
      setAside,
      damage: findDamage(files, contents, { records, applied, isNew: applied === 0 || setAside !== null }),
    };
  } catch (error) {
    await closeFiles(files);
    throw error;
  }
}

/** Reads every record that is still in the files, without changing them; none where there is no journal. */
export async function readJournal(folder: string): Promise<JournalRecord[]> {
  return (await readJournalFiles(folder)).records;
}

/** Reads the records that are newer than `applied` without changing the files, and the store id of each header. */
export async function readJournalFiles(
  folder: string,
  applied = 0,
): Promise<{ records: JournalRecord[]; owners: (string | null)[]; isDamaged: boolean }> {
  const files = await Promise.all(FILES.map((name) => readContent(join(folder, name)).catch(() => Buffer.alloc(0))));
  const contents = files.map((file) => readRecords(file, applied));
  return {
    records: contents.flatMap(({ records }) => records).sort(compareRecords),
    owners: files.map(decodeHeader),
    isDamaged: contents.some(({ isDamaged }) => isDamaged),
  };
}

async function readContent(path: string): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    return (await readWithoutZeros(handle)).content;
  } finally {
    await handle.close();
  }
}

function findDamage(
  files: readonly OpenedFile[],
  contents: readonly JournalContent[],
  { records, applied, isNew }: { records: readonly JournalRecord[]; applied: number; isNew: boolean },
): OpenedJournal['damage'] {
  const isHeaderLost = files.some(({ content, owner }) => owner === null && !isBlank(content));
  if (isHeaderLost || contents.some(({ isDamaged }) => isDamaged) || !isDense(records)) return 'record';
  if (records[0] && records[0].generation > applied + 1) return 'database';
  if (!isNew && files.some(isShort)) return 'missing';
  return contents.some(({ isLastRecordCut }) => isLastRecordCut) ? 'end' : null;
}

/** Returns whether the file was created just now, or is smaller than a journal ever is. */
function isShort({ size, owner }: OpenedFile): boolean {
  return size === 0 || (owner !== null && size < FILE_BYTES);
}

function compareRecords(a: JournalRecord, b: JournalRecord): number {
  return a.generation - b.generation || a.number - b.number;
}

/** Returns whether the records of each generation have no gap. */
function isDense(records: readonly JournalRecord[]): boolean {
  return records.every((record, index) => {
    const before = records[index - 1];
    return record.number === (before?.generation === record.generation ? before.number + 1 : 0);
  });
}

/** A file whose creation was interrupted has zeros only. */
function isBlank(content: Buffer): boolean {
  return content.equals(Buffer.alloc(content.length));
}

interface OpenedFile {
  handle: FileHandle;
  /** Without the zeros at its end. */
  content: Buffer;
  /** Size of the file, in bytes. */
  size: number;
  /** Store id of the header; null if it has none. */
  owner: string | null;
}

async function openFiles(folder: string): Promise<OpenedFile[]> {
  const files: OpenedFile[] = [];
  for (const name of FILES) {
    const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
    const handle = await open(join(folder, name), flags, 0o600);
    const { content, size } = await readWithoutZeros(handle);
    files.push({ handle, content, size, owner: decodeHeader(content) });
  }
  return files;
}

async function closeFiles(files: readonly OpenedFile[]): Promise<void> {
  for (const { handle } of files) await handle.close();
}

/** Writes the headers and preallocates; the content behind a header stays. */
async function prepareFiles(folder: string, files: readonly OpenedFile[], storeId: string): Promise<void> {
  for (const { handle, size, owner } of files) {
    if (owner === storeId && size >= FILE_BYTES) continue;
    await writeZeros(handle, size, FILE_BYTES);
    await writeFully(handle, encodeHeader(storeId), 0);
    await handle.chmod(0o600);
    await handle.sync();
  }
  await syncFolder(folder);
  await syncFolder(dirname(folder));
}

export class Journal {
  readonly #folder: string;
  readonly #files: readonly FileHandle[];
  #position: RecordPosition;
  #end = HEADER_BYTES;
  /** The error after which the state of the disk is unknown; null for none. */
  #failure: Error | null = null;

  constructor(folder: string, files: readonly FileHandle[], generation: number) {
    this.#folder = folder;
    this.#files = files;
    this.#position = { generation, number: 0, previousCrc: 0 };
  }

  /** Generation of the next record. */
  get generation(): number {
    return this.#position.generation;
  }

  /** Bytes of the active generation. */
  get size(): number {
    return this.#end - HEADER_BYTES;
  }

  /** Commits must wait for the running flush. */
  get isFull(): boolean {
    return this.#end > MAX_FILE_BYTES;
  }

  /**
   * Resolves when the record is on the disk. One call at a time. Rejects with `DiskFull` if there was no space for it:
   * then it can be appended again. After any other error the state of the disk is unknown, and every later call rejects.
   */
  async append(payload: Buffer): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    const { bytes, crc } = encodeRecord(this.#position, payload);
    const file = this.#activeFile;
    try {
      if (bytes.length <= MAX_BYTES_AT_ONCE && isOnLocalDisk(this.#folder)) writeFullyNow(file, bytes, this.#end);
      else await writeFully(file, bytes, this.#end);
    } catch (error) {
      if (isDiskFull(error)) throw new DiskFull(this.#folder, 0);
      throw this.#fail(error);
    }
    // After a failed sync the system may have dropped what it could not write: it is not repeated.
    await file.datasync().catch((error: unknown) => {
      throw this.#fail(error);
    });
    this.#end += bytes.length;
    this.#position = { ...this.#position, number: this.#position.number + 1, previousCrc: crc };
  }

  #fail(error: unknown): Error {
    this.#failure = error instanceof Error ? error : new Error(String(error));
    return this.#failure;
  }

  /** Starts the next generation in the other file. The generation before the active one must be in the database. */
  startGeneration(): void {
    this.#position = { generation: this.#position.generation + 1, number: 0, previousCrc: 0 };
    this.#end = HEADER_BYTES;
  }

  /** Overwrites both files with zeros on the disk. Every record must be in the database. */
  async erase(): Promise<void> {
    for (const file of this.#files) {
      const { size } = await file.stat();
      await file.truncate(FILE_BYTES);
      await writeZeros(file, HEADER_BYTES, Math.min(size, FILE_BYTES));
      await file.sync();
    }
    if (this.size > 0) this.startGeneration();
  }

  async close(): Promise<void> {
    for (const file of this.#files) await file.close();
  }

  get #activeFile(): FileHandle {
    return this.#files[this.#position.generation % 2] as FileHandle;
  }
}
