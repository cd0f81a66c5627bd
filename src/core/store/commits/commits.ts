/** Executes commits one at a time, each as one transaction, with a cache of the rows that change often. */
import type { DurableEvent } from '#contract/event.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import { coalesce, rowsToRead } from './coalesce.ts';
import { commitScript } from './commit-script.ts';
import type { Database } from '../database.ts';
import { EnvelopeTexts } from '../rows/envelope-texts.ts';
import { Reader } from '../rows/reader.ts';
import { RowCache } from './row-cache.ts';
import { idOf } from '../rows/row-codec.ts';
import type { Key, Row, Table, Write } from '../store.ts';

/** Tables whose rows change often; rows of the others are written once or twice. */
const CACHED: ReadonlySet<Table> = new Set<Table>([
  ...(['conversation', 'workflow', 'run', 'sub_agent_execution', 'approval'] as const),
]);

export class Commits {
  readonly #database: Database;
  readonly #reader: Reader;
  readonly #rows = new RowCache();
  readonly #envelopes = new EnvelopeTexts();
  /** Ids of messages with a stored checkpoint: only these need a delete. Null: not read yet. */
  #open: Set<string> | null = null;
  readonly #queue = new SerialQueue();

  constructor(database: Database) {
    this.#database = database;
    this.#reader = new Reader(database);
  }

  /** All or nothing: when it rejects, nothing is stored or cached. */
  commit(events: readonly DurableEvent[], writes: readonly Write[]): Promise<void> {
    // Read-modify-write: concurrent commits would overwrite each other's changes.
    return this.#queue.add(() => this.#commit(events, writes));
  }

  /** The cached row as of the last commit; null if it is not cached. */
  known(table: Table, key: Key): Row | null {
    return this.#rows.get(idOf(table, key)) ?? null;
  }

  /** Clears the cache after rows were changed by something other than a commit. */
  forget(): void {
    this.#rows.clear();
  }

  async #commit(events: readonly DurableEvent[], writes: readonly Write[]): Promise<void> {
    const before = await this.#rowsBefore(writes);
    const all = coalesce(writes, (place) => before.get(idOf(place.table, place.key)) ?? null);
    this.#open ??= await this.#openMessages();
    const open = this.#open;
    const changes = all.filter(({ table, key, row }) => table !== 'open_message' || row || open.has(String(key)));
    let stored = false;
    try {
      const { sql, values } = commitScript(events, changes, this.#envelopes, this.#database);
      if (sql !== '') await this.#database.transaction(sql, values);
      stored = true;
    } finally {
      this.#envelopes.settle(stored);
    }
    for (const { table, key, row } of changes) {
      if (CACHED.has(table)) this.#rows.set(idOf(table, key), row);
      if (table !== 'open_message') continue;
      if (row) open.add(String(key));
      else open.delete(String(key));
    }
  }

  async #rowsBefore(writes: readonly Write[]): Promise<Map<string, Row>> {
    const rows = new Map<string, Row>();
    for (const { table, key } of rowsToRead(writes)) {
      const row = this.#rows.get(idOf(table, key)) ?? (await this.#reader.row<Row>(table, key));
      if (row) rows.set(idOf(table, key), row);
    }
    return rows;
  }

  async #openMessages(): Promise<Set<string>> {
    const [ids] = await this.#database.query('SELECT VALUE record::id(id) FROM open_message');
    return new Set(ids as string[]);
  }
}
