/** Marks of rows and conversations that are not archived yet, in a file that the next process reads after a kill. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RowKey } from '#contract/rows.ts';

const FILE = 'pending';
/** Number of lines at which the file is rewritten with the remaining marks only. */
const MANY_LINES = 4096;

/** A conversation, or a row without a conversation. */
export type ArchiveMark =
  | { conversation: string; table?: never }
  | { table: 'memory' | 'permission_grant'; key: RowKey; conversation?: never };

export class ArchiveMarks {
  readonly #folder: string;
  /** The marks by their lines in the file. */
  readonly #marks = new Map<string, ArchiveMark>();
  #lines = 0;
  #made = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get size(): number {
    return this.#marks.size;
  }

  /** Write errors are ignored: a mark is only needed after a kill. */
  add(mark: ArchiveMark): void {
    const line = `${JSON.stringify(mark)}\n`;
    if (this.#marks.has(line)) return;
    this.#marks.set(line, mark);
    try {
      if (!this.#made) mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#made = true;
      if (this.#lines >= MANY_LINES) this.#rewrite();
      else appendFileSync(this.#path, line, { mode: 0o600 });
      this.#lines += 1;
    } catch {
      this.#made = false;
    }
  }

  /** Adds the marks of a previous process. */
  load(): void {
    try {
      const lines = readFileSync(this.#path, 'utf8').split('\n');
      // The last line may be cut off.
      for (const line of lines.slice(0, -1)) this.#marks.set(`${line}\n`, JSON.parse(line) as ArchiveMark);
      this.#lines += lines.length - 1;
    } catch {
      // A missing file has no marks.
    }
  }

  /** Takes the oldest mark. If this is a row, takes the marks of all rows. Returns an empty list without marks. */
  take(): ArchiveMark[] {
    const [first] = this.#marks.values();
    if (!first) return [];
    const takenMarks = [...this.#marks.values()].filter((mark) => mark === first || (first.table && mark.table));
    for (const mark of takenMarks) this.#marks.delete(`${JSON.stringify(mark)}\n`);
    return takenMarks;
  }

  /** Call after the taken marks are archived. They stay in the file until then. */
  settle(): void {
    if (this.#marks.size > 0 || this.#lines === 0) return;
    try {
      this.#rewrite();
    } catch {
      // A mark that is left over costs one comparison at the next start.
    }
  }

  get #path(): string {
    return join(this.#folder, FILE);
  }

  #rewrite(): void {
    writeFileSync(this.#path, [...this.#marks.keys()].join(''), { mode: 0o600 });
    this.#lines = this.#marks.size;
  }
}
