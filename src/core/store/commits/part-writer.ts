/** Puts changed rows of runs into the parts where they belong; it keeps the newest ones, so that only these are written again. */
import type { RowChange } from '#contract/rows.ts';
import { TriadError } from '../../base/errors.ts';
import type { Database } from '../database.ts';
import { queryEach } from '../rows/query-each.ts';
import { isKind, type Kind, Part, runOf } from '../rows/run-parts.ts';
import type { Row } from '../store.ts';

/** Parts in memory of runs that nothing changes at the moment. */
const LIMIT = 64;
/** Parts of each run in memory: a late entry belongs to one of the newest parts. */
const KEPT = 3;

export class PartWriter {
  readonly #database: Pick<Database, 'query'>;
  /** The newest parts of a run without a gap, in order. */
  readonly #newest = new Map<string, Part[]>();
  readonly #changed = new Set<string>();

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database;
  }

  /** To be called when a run is made: nothing is stored of it. */
  begin(run: string): void {
    this.#newest.set(run, [new Part(0)]);
  }

  /** The stored form of the parts that these changes change; changes of other tables are passed over. */
  async rowsOf(changes: readonly RowChange[]): Promise<Row[]> {
    const rows = changes.flatMap(listPlaces);
    await this.#load(new Set(rows.map(({ run }) => run).filter((run) => !this.#newest.has(run))));
    const parts = new Map<string, Place & { part: Part }>();
    for (const place of rows) {
      const { run, kind, name, row } = place;
      const newest = this.#newest.get(run) as Part[];
      this.#newest.delete(run);
      this.#newest.set(run, newest);
      this.#changed.add(run);
      const part =
        (kind === 'message' ? placed(newest, Number(name)) : newest.at(-1)) ?? (await this.#earlier(place, parts));
      part.put(kind, String(name), row);
      parts.set(`${run} ${part.first}`, { ...place, part });
    }
    return [...parts.values()].map(({ run, part }) => ({ id: [run, part.first], text: part.frame() }));
  }

  /** Ends the batch; `isStored`: its transaction succeeded. */
  settle(isStored: boolean): void {
    if (!isStored) for (const run of this.#changed) this.#newest.delete(run);
    this.#changed.clear();
    for (const [run, parts] of this.#newest) {
      parts.splice(0, parts.length - KEPT);
      if (this.#newest.size > LIMIT) this.#newest.delete(run);
    }
  }

  /** Forgets all, after parts were changed by something other than a commit. */
  clear(): void {
    this.#newest.clear();
  }

  async #load(runs: ReadonlySet<string>): Promise<void> {
    const found = await queryEach(this.#database, [...runs], (runId, bind) => {
      const run = bind(runId);
      return [`SELECT text, id FROM run_part:[${run}, NONE]..[${run}, ..] ORDER BY id DESC LIMIT 1`];
    });
    for (const [at, run] of [...runs].entries()) {
      const [[last]] = found[at] as [Stored[]];
      const part = last ? continued(last.id.id[1], last.text) : new Part(0);
      this.#newest.set(run, [part]);
    }
  }

  /** Finds the part of an entry that is before the parts in memory. `changed`: parts that are not stored yet. */
  async #earlier({ run, name }: Place, changed: ReadonlyMap<string, Place & { part: Part }>): Promise<Part> {
    const n = Number(name);
    const sql = 'SELECT text, id FROM run_part:[$run, NONE]..=[$run, $n] ORDER BY id DESC LIMIT 1';
    const [[last]] = (await this.#database.query(sql, { run, n })) as [Stored[]];
    const fresh = [...changed.values()]
      .filter((one) => one.run === run && one.part.first <= n)
      .sort((a, b) => a.part.first - b.part.first)
      .at(-1)?.part;
    if (fresh && fresh.first >= Number(last?.id.id[1] ?? 0)) return fresh;
    return last ? continued(last.id.id[1], last.text) : new Part(n);
  }
}

interface Stored {
  id: { id: [string, number] };
  text: unknown;
}

/** The part of an entry, a new one where the newest is full; undefined where it comes before all of these. */
function placed(newest: Part[], n: number): Part | undefined {
  const next = newest.at(-1)?.next(n);
  if (next) newest.push(next);
  return newest.findLast(({ first }) => first <= n);
}

/** One that is not what was written stays as it is, and the run goes on in another one right behind it. */
function continued(first: number, frame: unknown): Part {
  try {
    return new Part(Number(first), frame);
  } catch {
    return new Part(Number(first) + 1);
  }
}

interface Place {
  run: string;
  kind: Kind;
  name: string | number;
  row: Row;
}

function listPlaces({ table, key, row }: RowChange): Place[] {
  if (!isKind(table)) return [];
  if (row === null || typeof key === 'string') throw new TriadError('internal', `No row of ${table} is deleted.`);
  return [{ run: runOf(table, key, row), kind: table, name: key[1], row }];
}
