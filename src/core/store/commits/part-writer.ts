/** Puts changed rows of runs into their newest parts, which it keeps, so that only these are written again. */
import { TriadError } from '../../base/errors.ts';
import type { Database } from '../database.ts';
import { isKind, type Kind, Part, PART_ENTRIES, runOf } from '../rows/run-parts.ts';
import type { Row } from '../store.ts';
import type { Change } from './coalesce.ts';

/** Parts in memory of runs that nothing changes at the moment. */
const LIMIT = 64;

export class PartWriter {
  readonly #database: Pick<Database, 'query'>;
  /** The newest part of a run. */
  readonly #newest = new Map<string, Part>();
  readonly #changed = new Set<string>();

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database;
  }

  /** To be called when a run is made: nothing is stored of it. */
  begin(run: string): void {
    this.#newest.set(run, new Part(0));
  }

  /** The stored form of the parts that these changes change; changes of other tables are passed over. */
  async rowsOf(changes: readonly Change[]): Promise<Row[]> {
    const rows = changes.flatMap(placeOf);
    await this.#load(new Set(rows.map(({ run }) => run).filter((run) => !this.#newest.has(run))));
    const parts = new Map<string, { run: string; part: Part }>();
    for (const { run, kind, name, row } of rows) {
      let part = this.#newest.get(run) as Part;
      if (kind === 'message' && part.isFullFor(Number(name))) part = new Part(Number(name));
      part.put(kind, String(name), row);
      this.#newest.delete(run);
      this.#newest.set(run, part);
      this.#changed.add(run);
      parts.set(`${run} ${part.first}`, { run, part });
    }
    return [...parts.values()].map(({ run, part }) => ({ id: [run, part.first], text: part.frame() }));
  }

  /** Ends the batch; `isStored`: its transaction succeeded. */
  settle(isStored: boolean): void {
    if (!isStored) for (const run of this.#changed) this.#newest.delete(run);
    this.#changed.clear();
    for (const run of this.#newest.keys()) {
      if (this.#newest.size <= LIMIT) break;
      this.#newest.delete(run);
    }
  }

  /** Forgets all, after parts were changed by something other than a commit. */
  clear(): void {
    this.#newest.clear();
  }

  async #load(runs: ReadonlySet<string>): Promise<void> {
    if (runs.size === 0) return;
    const values = Object.fromEntries([...runs].map((run, at) => [`r${at}`, run]));
    const sql = [...runs].map(
      (_, at) => `SELECT text, id FROM run_part:[$r${at}, NONE]..[$r${at}, ..] ORDER BY id DESC LIMIT 1;
      SELECT VALUE record::id(id)[1] FROM message:[$r${at}, NONE]..[$r${at}, ..];`,
    );
    const found = await this.#database.query(sql.join('\n'), values);
    for (const [at, run] of [...runs].entries()) {
      const [last] = found[2 * at] as { id: { id: [string, number] }; text: unknown }[];
      // A run from before schema 9 goes on after its last row.
      const entries = found[2 * at + 1] as number[];
      this.#newest.set(run, last ? continued(last.id.id[1], last.text) : new Part(Number(entries.at(-1) ?? -1) + 1));
    }
  }
}

/** One that is not what was written stays as it is, and the run goes on in the next one. */
function continued(first: number, frame: unknown): Part {
  try {
    return new Part(first, frame);
  } catch {
    return new Part(first + PART_ENTRIES);
  }
}

interface Place {
  run: string;
  kind: Kind;
  name: string | number;
  row: Row;
}

function placeOf({ table, key, row }: Change): Place[] {
  if (!isKind(table)) return [];
  if (row === null || typeof key === 'string') throw new TriadError('internal', `No row of ${table} is deleted.`);
  return [{ run: runOf(table, key, row), kind: table, name: key[1], row }];
}
