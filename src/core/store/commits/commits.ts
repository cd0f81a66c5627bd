/**
 * Executes commits one at a time. A commit resolves when its events, and the rows that no event produces, are in the
 * journal. Everything else follows behind: a flush stores events and rows of many commits in one transaction. A start
 * replays what the journal has and the database lacks. A store without a journal writes each commit through.
 */
import type { DurableEvent } from '#contract/event.ts';
import type { RowChange, RowKey, RowPlace, Table, TableRows } from '#contract/rows.ts';
import { TriadError } from '../../base/errors.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import type { Database } from '../database.ts';
import { DiskFull } from '../disk-space.ts';
import { StoreDamaged } from '../faults.ts';
import { collectEnvelopes, decodePayload, encodePayload } from '../journal/journal-payload.ts';
import { type Journal, openJournal, type OpenedJournal } from '../journal/journal.ts';
import { EnvelopeTexts, withEnvelopes } from '../rows/envelope-texts.ts';
import { newestEvent } from '../rows/event-blocks.ts';
import { Reader } from '../rows/reader.ts';
import { exactKey, idOf, validateRow } from '../rows/row-codec.ts';
import { isKind, type Kind, rowsOfRuns } from '../rows/run-parts.ts';
import type { CommitItem } from '../store.ts';
import { unwritten } from '../unwritten.ts';
import { changedRows, refuseMissing } from './changed-rows.ts';
import { commitScript } from './commit-script.ts';
import { readJournalState } from './journal-state.ts';
import { PartWriter } from './part-writer.ts';
import { type ChangeSet, type FlushBatch, PendingChanges, type StoredEvent } from './pending-changes.ts';

/** Time after the last commit after which a flush starts, in milliseconds. */
const QUIET_MS = 250;
/** Time after the first commit after which a flush starts although others follow, in milliseconds. */
const MAX_DELAY_MS = 2000;
/** Rows and events in memory, and bytes in the journal, at which a flush starts at once. */
const MAX_ROWS = 2000;
const MAX_BYTES = 1024 * 1024;
/** Time after which a flush is tried again when the disk was full, in milliseconds. */
const RETRY_MS = 1000;

/**
 * `behind`: rows follow commits; `journal`: its folder, null for a store in memory. `through`: a commit is one
 * transaction with its rows.
 */
export type CommitMode = { kind: 'behind'; journal: string | null } | { kind: 'through' };

export interface CommitOptions {
  mode?: CommitMode | undefined;
  /** Returns the error for a commit on a full disk; null if there is space. */
  diskFull?: () => DiskFull | null;
  /** Called when a flush meets a damaged database; returns whether another one took its place. */
  onDamage?: () => Promise<boolean>;
  /** Called once, when a flush or the journal failed: nothing is committed any more. */
  onFailure?: (error: TriadError) => void;
}

/** Result of opening the journal; null without a journal. */
export type Recovered = Pick<OpenedJournal, 'setAside' | 'damage'> | null;

export class Commits {
  readonly #database: Database;
  #mode: CommitMode;
  readonly #diskFull: () => DiskFull | null;
  readonly #onDamage: () => Promise<boolean>;
  readonly #onFailure: (error: TriadError) => void;
  readonly #reader: Reader;
  readonly #pending = new PendingChanges();
  #envelopes = new EnvelopeTexts();
  readonly #parts: PartWriter;
  readonly #lastSeq = new Map<string, number>();
  /** Ids of streamed messages with a row in the database: only these need a delete there. */
  readonly #storedMessages = new Set<string>();
  /** Lock order: a flush enters its own queue first, then the queue of commits. */
  readonly #flushes = new SerialQueue();
  readonly #commits = new SerialQueue();
  #journal: Journal | null = null;
  #replayed = 0;
  /** The batch of the running or failed flush, with the generation that it stores. */
  #snapshot: Snapshot = { batch: null, generation: null };
  #timer: NodeJS.Timeout | null = null;
  /** Time of the first commit since the last flush; null for none. */
  #waitingSince: number | null = null;
  /** The start replays the journal: a flush waits, so that no reader misses a record. */
  #isReplaying = false;
  /** Why nothing is committed any more; null while all is well. */
  #failure: TriadError | null = null;

  constructor(
    database: Database,
    {
      mode = { kind: 'behind', journal: null },
      diskFull = () => null,
      onDamage = () => Promise.resolve(false),
      onFailure = () => undefined,
    }: CommitOptions = {},
  ) {
    this.#database = {
      query: (sql, values) => database.query(sql, values),
      transaction: (sql, values) => database.transaction(sql, values),
      record: (table, key) => database.record(table, key),
      known: (table, key) => this.#pending.get(table, key),
      close: () => database.close(),
    };
    this.#mode = mode;
    this.#diskFull = diskFull;
    this.#onDamage = onDamage;
    this.#onFailure = onFailure;
    this.#reader = new Reader(this.#database);
    this.#parts = new PartWriter(this.#database);
  }

  /** The database for readers: a query includes every commit before it. */
  get current(): Database {
    return {
      ...this.#database,
      query: async (sql, values) => {
        await this.flush();
        return this.#database.query(sql, values);
      },
    };
  }

  /** All or nothing: when it rejects, nothing is stored, in memory or on the disk. */
  async commit(items: readonly CommitItem[]): Promise<void> {
    if (items.length === 0) return;
    while (this.#journal?.isFull && !this.#pending.isEmpty && !this.#failure) {
      const shortage = await this.#tryFlush();
      if (shortage && this.#journal.isFull) throw shortage;
    }
    // Read-modify-write: concurrent commits would overwrite each other's changes.
    await this.#commits.add(() => this.#commit(items));
  }

  /** Events of a conversation that the database may lack, in order, without a gap. */
  pendingEvents(conversationId: string): DurableEvent[] {
    return this.#pending.eventsOf(conversationId);
  }

  /** Number of the newest event of a conversation; 0 for none. */
  async lastSeq(conversationId: string): Promise<number> {
    const known = this.#lastSeq.get(conversationId) ?? this.#pending.eventsOf(conversationId).at(-1)?.seq;
    if (known !== undefined) return known;
    // The row has the number of the last start or end of a workflow; few events follow it.
    const row = await this.#reader.row<TableRows['conversation']>('conversation', conversationId);
    const storedSeq = await newestEvent(this.#database, conversationId, row?.lastSeq ?? 0);
    const seq = Math.max(storedSeq, this.#lastSeq.get(conversationId) ?? 0);
    this.#lastSeq.set(conversationId, seq);
    return seq;
  }

  /**
   * Resolves when the database has every commit before the call, or the flush failed. With a full disk it resolves
   * at once, and the flush is tried again later.
   */
  async flush(): Promise<void> {
    await this.#tryFlush();
  }

  /** Returns the error of a full disk; null after any other end. */
  async #tryFlush(): Promise<DiskFull | null> {
    if (this.#failure || (this.#pending.isEmpty && !this.#isReplaying)) return null;
    try {
      await this.#flushes.add(async () => {
        // A caller that waited may find its commits flushed by the one before.
        while (!this.#pending.isEmpty) {
          const { batch, generation } = await this.#commits.add(() => Promise.resolve(this.#startFlush()));
          if (batch) await this.#store(batch, generation);
        }
      });
    } catch (error) {
      if (this.#failure) return null;
      if (error instanceof DiskFull) {
        this.#scheduleFlush(RETRY_MS);
        return error;
      }
      // Where no other database could be made, the damage is what the person must know.
      const isReplaced = error instanceof StoreDamaged && (await this.#onDamage().catch(() => false));
      if (!isReplaced) this.#fail(error);
    }
    return null;
  }

  #fail(error: unknown): void {
    if (this.#failure) return;
    this.#failure = unwritten(error);
    this.#onFailure(this.#failure);
  }

  /** Runs `work` between two commits, with every row in the database. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#flushes.add(() =>
      this.#commits.add(async () => {
        await this.#flushAll();
        return work();
      }),
    );
  }

  /** Runs `work` with the folder of the journal between two commits; null without a journal. */
  withJournal<T>(work: (folder: string) => Promise<T>): Promise<T | null> {
    return this.#flushes.add(() =>
      this.#commits.add(async () =>
        this.#mode.kind === 'through' || this.#mode.journal === null ? null : work(this.#mode.journal),
      ),
    );
  }

  /** Number of records that the last start replayed. */
  get replayed(): number {
    return this.#replayed;
  }

  /** Overwrites the journal with zeros on the disk: it contains no text any more. */
  eraseJournal(): Promise<void> {
    return this.exclusive(async () => this.#journal?.erase());
  }

  /** Clears the caches. Call before and after something other than a commit changes the database. */
  forget(): Promise<void> {
    return this.#commits.add(async () => {
      this.#pending.forgetStored();
      this.#lastSeq.clear();
      this.#parts.clear();
      await Promise.resolve();
    });
  }

  /**
   * Opens the journal and replays what the database lacks, before the first commit. Rows that are missing in a damaged
   * database stay missing. Returns what could not be read; null without a journal.
   */
  recover(): Promise<Recovered> {
    // A flush of another reader would store a part of the replay.
    this.#isReplaying = true;
    return this.#flushes.add(() => this.#commits.add(() => this.#recover())).finally(() => (this.#isReplaying = false));
  }

  /** Call in both queues. */
  async #recover(): Promise<Recovered> {
    const [ids] = await this.#database.query('SELECT VALUE record::id(id) FROM open_message');
    for (const id of ids as string[]) this.#storedMessages.add(id);
    if (this.#mode.kind === 'through' || this.#mode.journal === null) return null;
    const { journal, records, setAside, damage } = await openJournal(
      this.#mode.journal,
      await readJournalState(this.#database),
    );
    this.#journal = journal;
    this.#replayed = records.length;
    try {
      await this.#replay(records);
    } catch (error) {
      // A waiting flush would store a part of the records, and mark all of them as stored.
      this.#dropPending();
      throw error;
    }
    return { setAside, damage };
  }

  async #replay(records: OpenedJournal['records']): Promise<void> {
    const payloads = records.map(({ payload }) => decodePayload(payload));
    const known = collectEnvelopes(payloads);
    for (const { events, rows } of payloads) {
      await this.#addEvents(await withEnvelopes(this.#database, events, known));
      this.#pending.add({ events: [], changes: rows, envelopes: new Map() });
    }
    await this.#flushAll(records.at(-1)?.generation);
  }

  #dropPending(): void {
    this.#pending.clear();
    this.#snapshot = { batch: null, generation: null };
  }

  /** Stores events of a store that is rebuilt, in the database only. Numbers may be missing; a missing row stays missing. */
  async restoreEvents(events: readonly DurableEvent[]): Promise<void> {
    await this.#flushes.add(() =>
      this.#commits.add(async () => {
        await this.#addEvents(events);
        await this.#flushAll();
        for (const { conversationId, seq } of events) this.#lastSeq.set(conversationId, seq);
      }),
    );
  }

  /**
   * Puts another database with the same history behind the commits, between two commits. `open` prepares it and returns
   * the folder of its journal. Pending changes are dropped: the other database has everything that is in the journal.
   */
  async replaceDatabase(open: () => Promise<string>): Promise<void> {
    await this.#flushes.add(() =>
      this.#commits.add(async () => {
        clearTimeout(this.#timer ?? undefined);
        const folder = await open();
        await this.#journal?.close();
        this.#journal = null;
        this.#dropPending();
        this.#parts.clear();
        this.#lastSeq.clear();
        this.#storedMessages.clear();
        // The other database has only the envelopes of events that could be read.
        this.#envelopes = new EnvelopeTexts();
        this.#mode = { kind: 'behind', journal: folder };
        try {
          await this.#recover();
        } catch (error) {
          // Without a journal, a commit would resolve that is on no disk.
          this.#fail(error);
          throw error;
        }
      }),
    );
  }

  /** Closes the journal after a failed start: nothing can be committed. */
  async closeJournal(): Promise<void> {
    await this.#journal?.close();
    this.#journal = null;
  }

  /** Closes the journal. Call after the last commit. */
  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer ?? undefined);
    await this.#commits.add(async () => this.#journal?.close());
  }

  async #commit(items: readonly CommitItem[]): Promise<void> {
    if (this.#failure) throw this.#failure;
    const events = items.flatMap((item) => ('event' in item ? item.event : []));
    await this.#checkNumbers(events);
    const rows = await changedRows(items, (place) => this.#row(place), refuseMissing);
    const changes = rows.filter((change) => !this.#isUnknownMessage(change));
    for (const change of changes) validateRow(change);
    // No flush would follow such a record, so its generation would never be applied.
    if (events.length + changes.length === 0) return;
    const set = this.#changeSet(events, changes);
    if (this.#mode.kind === 'through') await this.#writeThrough(set);
    else {
      const shortage = this.#diskFull();
      if (shortage) throw shortage;
      await this.#append(encodePayload(set, rowsWithoutEvent(items, rows)));
      this.#pending.add(set);
      this.#scheduleNextFlush();
    }
    this.#envelopes.markStored(set.envelopes);
    for (const { conversationId, seq } of events) this.#lastSeq.set(conversationId, seq);
    for (const { table, key, row } of changes)
      if (table === 'conversation' && row === null) this.#lastSeq.delete(String(key));
  }

  /** Stops all commits after an error other than a full disk: the content of the journal is then unknown. */
  async #append(payload: Buffer): Promise<void> {
    try {
      await this.#journal?.append(payload);
    } catch (error) {
      if (!(error instanceof DiskFull)) this.#fail(error);
      throw error;
    }
  }

  #changeSet(events: readonly DurableEvent[], changes: RowChange[]): ChangeSet {
    const storedEvents = events.map((event): StoredEvent => ({ event, json: this.#envelopes.jsonOf(event) }));
    return { events: storedEvents, changes, envelopes: this.#envelopes.takeFresh() };
  }

  /** Rejects with `store_failed` if an event does not follow the newest one of its conversation. */
  async #checkNumbers(events: readonly DurableEvent[]): Promise<void> {
    const last = new Map<string, number>();
    for (const { conversationId, seq } of events) {
      const before = last.get(conversationId) ?? (await this.lastSeq(conversationId));
      if (seq !== before + 1)
        throw new TriadError('store_failed', `The store refused a write: event ${seq} does not follow event ${before}`);
      last.set(conversationId, seq);
    }
  }

  /** A streamed message that started and ended since the last flush has no row to delete. */
  #isUnknownMessage({ table, key, row }: RowChange): boolean {
    if (table !== 'open_message' || row !== null) return false;
    return !this.#storedMessages.has(String(key)) && this.#pending.get(table, key) === undefined;
  }

  /** Adds events of the journal with their rows. A missing row stays missing. */
  async #addEvents(events: readonly DurableEvent[]): Promise<void> {
    const items = events.map((event) => ({ event }));
    const rows = await changedRows(
      items,
      (place) => this.#row(place),
      () => undefined,
    );
    this.#pending.add(this.#changeSet(events, rows));
  }

  async #row({ table, key }: RowPlace): Promise<TableRows[Table] | null> {
    // Rows are not parsed again: only the store writes them.
    if (isKind(table)) return (await this.#partRow(table, key)) as TableRows[Kind] | null;
    return this.#reader.row<TableRows[Table]>(table, key);
  }

  /** Only calls change after they were flushed. */
  async #partRow(table: Kind, key: RowKey): Promise<unknown> {
    const pendingRow = this.#pending.get(table, key);
    if (pendingRow !== undefined || table !== 'tool_call') return pendingRow ?? null;
    const run = String(key[0]);
    const calls = (await rowsOfRuns(this.#database, [table], [run])).get(run)?.tool_call;
    return calls?.find(({ toolCallId }) => String(exactKey([run, String(toolCallId)])[1]) === key[1]) ?? null;
  }

  /** Call in both queues. `generation`: of replayed records. */
  async #flushAll(generation?: number): Promise<void> {
    while (!this.#pending.isEmpty) {
      const { batch, generation: own } = this.#startFlush(generation);
      if (batch) await this.#store(batch, own);
    }
  }

  /** Call between two commits. Returns the batch of a failed flush again, with its own generation. */
  #startFlush(replayed?: number): Snapshot {
    if (this.#snapshot.batch) return this.#snapshot;
    this.#waitingSince = null;
    const batch = this.#pending.startFlush();
    this.#snapshot = { batch, generation: replayed ?? this.#journal?.generation ?? null };
    if (batch && replayed === undefined) this.#journal?.startGeneration();
    return this.#snapshot;
  }

  async #store(batch: FlushBatch, generation: number | null): Promise<void> {
    await this.#write(batch, generation);
    for (const { table, key, row } of batch.rows.values()) {
      if (table !== 'open_message') continue;
      if (row) this.#storedMessages.add(String(key));
      else this.#storedMessages.delete(String(key));
    }
    this.#pending.endFlush();
    this.#snapshot = { batch: null, generation: null };
  }

  async #writeThrough(set: ChangeSet): Promise<void> {
    this.#pending.add(set);
    const batch = this.#pending.startFlush();
    try {
      if (batch) await this.#store(batch, null);
    } catch (error) {
      this.#pending.dropFlush();
      throw error;
    }
  }

  async #write(batch: FlushBatch, generation: number | null): Promise<void> {
    let isStored = false;
    try {
      for (const { event } of batch.events) if (event.type === 'run-queue') this.#parts.begin(event.runId);
      const parts = await this.#parts.rowsOf([...batch.rows.values()]);
      const { sql, values, envelopes } = commitScript({ batch, parts, generation }, this.#envelopes, this.#database);
      await this.#database.transaction(sql, values);
      this.#envelopes.markStored(envelopes);
      isStored = true;
    } finally {
      this.#parts.settle(isStored);
    }
  }

  #scheduleNextFlush(): void {
    this.#waitingSince ??= performance.now();
    const isMuch = this.#pending.size > MAX_ROWS || (this.#journal?.size ?? 0) > MAX_BYTES;
    const remainingMs = this.#waitingSince + MAX_DELAY_MS - performance.now();
    this.#scheduleFlush(isMuch ? 0 : Math.max(0, Math.min(QUIET_MS, remainingMs)));
  }

  #scheduleFlush(ms: number): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = setTimeout(() => void this.flush(), ms).unref();
  }
}

interface Snapshot {
  batch: FlushBatch | null;
  generation: number | null;
}

/** The final rows of the items without an event: no replay of events produces them. */
function rowsWithoutEvent(items: readonly CommitItem[], changes: readonly RowChange[]): RowChange[] {
  const ids = new Set(items.flatMap((item) => ('event' in item ? [] : idOf(item.table, exactKey(item.key)))));
  return ids.size === 0 ? [] : changes.filter(({ table, key }) => ids.has(idOf(table, key)));
}
