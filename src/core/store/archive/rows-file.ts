/** The file `rows.jsonl.gz`: notes of agents and permission grants. The last line of a key counts. */
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { codeOf } from '../../base/errors.ts';
import { syncFolder } from '../durable-files.ts';
import { appendMember, readEnd, readMembers } from './archive-file.ts';
import { type ArchivedRow, parseLines, rowLine } from './archive-lines.ts';
import { encodeMember } from './gzip-member.ts';

const NO_EVENTS = { from: 0, to: 0 };
/** A file below this size is not compacted for its size, in bytes. */
const MIN_BYTES = 64 * 1024;
/** Growth since the last compaction, as a factor, at which the file is compacted again. */
const GROWTH = 4;

export class RowsFile {
  readonly #path: string;
  readonly #readStored: () => Promise<ArchivedRow[]>;
  #limit = MIN_BYTES;
  /** True if the file has, or had, a part that cannot be read; null before this process has read the file. */
  #isDamaged: boolean | null = null;

  /** `readStored`: reads all rows of the store, for a file with a part that cannot be read. */
  constructor(path: string, readStored: () => Promise<ArchivedRow[]>) {
    this.#path = path;
    this.#readStored = readStored;
  }

  async append(rows: readonly ArchivedRow[]): Promise<void> {
    if (rows.length === 0) return;
    // A damaged last member counts as torn, and is overwritten.
    this.#isDamaged ??= (await this.#read())?.isDamaged ?? false;
    const end = await readEnd(this.#path);
    const member = await encodeMember(rows.map(rowLine).join(''), NO_EVENTS);
    await appendMember(this.#path, end, member);
    // The text of a deleted row must not stay in the file.
    if (this.#isDamaged || rows.some(({ row }) => row === null) || end.bytes + member.length > this.#limit)
      await this.compact();
  }

  /** Rewrites the file with the last row of each key. `keepsDeletions`: includes the keys of deleted rows. */
  async compact({ keepsDeletions = true } = {}): Promise<void> {
    const read = await this.#read();
    if (read === null) return;
    const rows =
      read.isDamaged || this.#isDamaged
        ? [...read.rows.filter(({ row }) => row === null), ...(await this.#readStored())]
        : read.rows;
    const remainingRows = rows.filter(({ row }) => keepsDeletions || row !== null);
    const member = await encodeMember(remainingRows.map(rowLine).join(''), NO_EVENTS);
    await writeAtomically(this.#path, member, { mode: 0o600 });
    // Otherwise the old file, with the text of deleted rows, could come back after a loss of power.
    await syncFolder(dirname(this.#path));
    this.#isDamaged = false;
    this.#limit = Math.max(MIN_BYTES, GROWTH * member.length);
  }

  /** Returns whether the file exists. */
  exists(): Promise<boolean> {
    return exists(this.#path);
  }

  /** Returns the last readable row of each key; null without a file. */
  async #read(): Promise<{ rows: ArchivedRow[]; isDamaged: boolean } | null> {
    if (!(await this.exists())) return null;
    const rows = new Map<string, ArchivedRow>();
    let isDamaged = false;
    for await (const { member } of readMembers(this.#path)) {
      if (!member) isDamaged = true;
      for (const { row } of member ? parseLines(member.text) : [])
        if (row) rows.set(JSON.stringify([row.table, row.key]), row);
    }
    return { rows: [...rows.values()], isDamaged };
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
