/**
 * Executes commits one at a time. What a commit of events stores, and syncs, is the events, and the rows that no event
 * can make again; the rows that follow from them change in memory, and reach the database together a little later. A
 * start replays what a process that died still had in memory.
 */
import type { DurableEvent } from '#contract/event.ts';
import type { TriadError } from '../../base/errors.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import { apply } from '../apply.ts';
import { type Change, coalesce, rowsToRead } from './coalesce.ts';
import { type Batch, commitScript } from './commit-script.ts';
import type { Database } from '../database.ts';
import { DiskFull } from '../disk-space.ts';
import { EnvelopeTexts } from '../rows/envelope-texts.ts';
import { Reader } from '../rows/reader.ts';
import { ReadModels } from './read-models.ts';
import { exactKey, idOf } from '../rows/row-codec.ts';
import { isKind, type Kind, rowsOfRuns } from '../rows/run-parts.ts';
import type { Key, Row, Store, Table, Write } from '../store.ts';
import { PartWriter } from './part-writer.ts';
import { unwritten } from '../unwritten.ts';

/** Tables whose rows no replay makes again: several conversations write them, or they are newer than the events. */
const AT_ONCE: ReadonlySet<Table> = new Set<Table>(['open_message', 'memory', 'permission_grant']);
/** Time after the last change, in milliseconds, after which the rows are flushed. */
const QUIET_MS = 250;
/** Time after which a flush is tried again when the disk was full, in milliseconds. */
const RETRY_MS = 1000;
/** Rows in memory at which they are flushed all the same. */
const MANY_ROWS = 2000;
/** Events replayed in one transaction. */
const STEP = 500;

export class Commits {
  readonly #database: Database;
  readonly #onFailure: (error: TriadError) => void;
  readonly #reader: Reader;
  readonly #models = new ReadModels();
  readonly #envelopes = new EnvelopeTexts();
  readonly #parts: PartWriter;
  /** Ids of messages with a stored checkpoint: only these need a delete. Null: not read yet. */
  #open: Set<string> | null = null;
  readonly #queue = new SerialQueue();
  #timer: NodeJS.Timeout | null = null;
  #failed = false;

  /** Calls `onFailure` once, when rows could not be flushed: what they show is stored, as events. */
  constructor(database: Database, onFailure: (error: TriadError) => void = () => undefined) {
    this.#database = {
      query: (sql, values) => database.query(sql, values),
      transaction: (sql, values) => database.transaction(sql, values),
      record: (table, key) => database.record(table, key),
      known: (table, key) => this.#models.row(table, key),
      close: () => database.close(),
    };
    this.#onFailure = onFailure;
    this.#reader = new Reader(this.#database);
    this.#parts = new PartWriter(this.#database);
  }

  /** The database as readers may see it: no read misses what was committed before it. */
  get current(): Database {
    return {
      ...this.#database,
      query: async (sql, values) => {
        await this.flush();
        return this.#database.query(sql, values);
      },
    };
  }

  /** All or nothing: when it rejects, nothing is stored, in memory or out. */
  commit(events: readonly DurableEvent[], writes: readonly Write[]): Promise<void> {
    // Read-modify-write: concurrent commits would overwrite each other's changes.
    return this.#queue.add(() => this.#commit(events, writes));
  }

  /** Resolves when every row is as the events say, or flushing has failed: the rows then stay as they were. Waits for no space on a full disk: the flush is tried again later. */
  async flush(): Promise<void> {
    if (!this.#models.lags || this.#failed) return;
    try {
      // Whoever waited beside this one may have done it.
      await this.#queue.add(async () => {
        if (this.#models.lags) await this.#flush();
      });
    } catch (error) {
      if (this.#failed) return;
      if (error instanceof DiskFull) return this.#flushLater(RETRY_MS);
      this.#failed = true;
      this.#onFailure(unwritten(error));
    }
  }

  /** Does something between two commits, with every row in the database. */
  still<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.add(async () => {
      await this.#flush();
      return work();
    });
  }

  /** Clears the caches: rows are changed by something other than a commit. */
  forget(): Promise<void> {
    return this.#queue.add(async () => {
      this.#models.forget();
      this.#parts.clear();
      await Promise.resolve();
    });
  }

  /**
   * Replays what a process that died had committed and not flushed. A row that is missing, in a damaged store, stays
   * missing.
   */
  async recover({ lastSeq, events }: Pick<Store, 'lastSeq' | 'events'>): Promise<void> {
    const [marks] = (await this.#database.query('SELECT record::id(id) AS id, applied FROM lagging')) as [
      { id: string; applied: number }[],
    ];
    for (const { id, applied } of marks) {
      this.#models.found(id, applied);
      const last = await lastSeq(id);
      for (let from = applied + 1; from <= last; from += STEP) {
        const some = await events(id, from, Math.min(last, from + STEP - 1));
        const writes = some.flatMap(apply).filter(({ table }) => !AT_ONCE.has(table));
        this.#models.lag(some, await this.#changes(writes, true));
        await this.#queue.add(() => this.#flush());
      }
      // There may have been nothing to replay.
      await this.#queue.add(() => this.#flush());
    }
  }

  async #commit(events: readonly DurableEvent[], writes: readonly Write[]): Promise<void> {
    const all = await this.#changes(writes);
    this.#open ??= await this.#openMessages();
    const open = this.#open;
    const changes = all.filter(({ table, key, row }) => table !== 'open_message' || row || open.has(String(key)));
    const atOnce = changes.filter(({ table }) => AT_ONCE.has(table));
    if (isOfEventsAlone(events, writes)) {
      const marks = this.#models.marksFor(events);
      await this.#store({ events, changes: atOnce, marks, ended: [] });
      this.#models.lag(
        events,
        changes.filter(({ table }) => !AT_ONCE.has(table)),
      );
      this.#flushLater(this.#models.size > MANY_ROWS ? 0 : QUIET_MS);
    } else if (
      events.length === 0 &&
      changes.every((change) => AT_ONCE.has(change.table) || this.#models.isWhole(change))
    ) {
      await this.#store({ events, changes, marks: new Map(), ended: [] });
      this.#models.stored(changes);
    } else {
      const flush = this.#models.flush(events, changes);
      await this.#store({ events, ...flush });
      this.#models.flushed(flush, events);
    }
    for (const { key, row } of atOnce.filter(({ table }) => table === 'open_message')) {
      if (row) open.add(String(key));
      else open.delete(String(key));
    }
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    const flush = this.#models.flush([], []);
    await this.#store({ events: [], ...flush });
    this.#models.flushed(flush, []);
  }

  #flushLater(ms: number): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = setTimeout(() => void this.flush(), ms).unref();
  }

  async #store(batch: Omit<Batch, 'parts'>): Promise<void> {
    let stored = false;
    try {
      for (const { type, runId } of batch.events) if (type === 'run-queue') this.#parts.begin(runId);
      const parts = await this.#parts.rowsOf(batch.changes);
      const { sql, values } = commitScript({ ...batch, parts }, this.#envelopes, this.#database);
      if (sql !== '') await this.#database.transaction(sql, values);
      stored = true;
    } finally {
      this.#envelopes.settle(stored);
      this.#parts.settle(stored);
    }
  }

  async #changes(writes: readonly Write[], tolerant = false): Promise<Change[]> {
    const before = new Map<string, Row>();
    for (const { table, key } of rowsToRead(writes)) {
      const row = isKind(table) ? await this.#partRow(table, key) : await this.#reader.row<Row>(table, key);
      if (row) before.set(idOf(table, key), row);
    }
    return coalesce(writes, ({ table, key }) => before.get(idOf(table, key)) ?? null, tolerant);
  }

  /** Only calls change after they were flushed. */
  async #partRow(table: Kind, key: Key): Promise<Row | null> {
    const known = this.#models.row(table, key);
    if (known !== undefined || table !== 'tool_call') return known ?? null;
    const run = String(key[0]);
    const calls = (await rowsOfRuns(this.#database, [table], [run])).get(run)?.tool_call;
    return calls?.find(({ toolCallId }) => String(exactKey([run, String(toolCallId)])[1]) === key[1]) ?? null;
  }

  async #openMessages(): Promise<Set<string>> {
    const [ids] = await this.#database.query('SELECT VALUE record::id(id) FROM open_message');
    return new Set(ids as string[]);
  }
}

/** No event makes a conversation, nor what the person wants to keep of it. */
function isKept(write: Write): boolean {
  return write.kind === 'put' ? write.table === 'conversation' : write.kind === 'update' && write.isKept === true;
}

/** Whether a replay would make all these writes again. */
function isOfEventsAlone(events: readonly DurableEvent[], writes: readonly Write[]): boolean {
  return events.length > 0 && !writes.some(isKept);
}
