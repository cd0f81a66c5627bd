/**
 * Changes that the database does not have yet: those since the last flush, and those of the running flush. Also caches
 * rows that the database has. Readers look here first.
 */
import type { DurableEvent } from '#contract/event.ts';
import type { RowChange, RowKey, Table, TableRows } from '#contract/rows.ts';
import { type EnvelopeText, type FreshEnvelopes, getEnvelopeKey } from '../rows/envelope-texts.ts';
import { idOf } from '../rows/row-codec.ts';

/** Tables whose rows change often; rows of the others are written once or twice. */
const CACHED: ReadonlySet<Table> = new Set<Table>([
  ...(['conversation', 'workflow', 'run', 'sub_agent_execution', 'approval'] as const),
]);

/** An event with its JSON text. */
export interface StoredEvent {
  event: DurableEvent;
  json: string;
}

/** The content of one or more commits. */
export interface ChangeSet {
  events: StoredEvent[];
  changes: RowChange[];
  /** By object, as `EnvelopeTexts` returns them. */
  envelopes: FreshEnvelopes;
}

export class FlushBatch {
  readonly rows = new Map<string, RowChange>();
  readonly events: StoredEvent[] = [];
  readonly envelopes = new Map<string, EnvelopeText>();

  /** Number of rows and events. */
  get size(): number {
    return this.rows.size + this.events.length;
  }

  add({ events, changes, envelopes }: ChangeSet): void {
    this.events.push(...events);
    for (const text of [...envelopes.values()].flat()) this.envelopes.set(getEnvelopeKey(text.id), text);
    for (const change of changes) this.rows.set(idOf(change.table, change.key), change);
  }
}

export class PendingChanges {
  #active = new FlushBatch();
  #flushing: FlushBatch | null = null;
  readonly #stored = new RowCache();

  /** True if the database has every change. */
  get isEmpty(): boolean {
    return this.#active.size === 0 && this.#flushing === null;
  }

  /** Number of rows and events since the last flush started. */
  get size(): number {
    return this.#active.size;
  }

  /** Null: deleted; undefined: only the database has it, if it exists. */
  get<T extends Table>(table: T, key: RowKey): TableRows[T] | null | undefined {
    const id = idOf(table, key);
    const change = this.#active.rows.get(id) ?? this.#flushing?.rows.get(id);
    return (change ? change.row : this.#stored.get(id)) as TableRows[T] | null | undefined;
  }

  /** The events of a conversation that the database may lack, in order, without a gap. */
  eventsOf(conversationId: string): DurableEvent[] {
    return [...(this.#flushing?.events ?? []), ...this.#active.events]
      .map(({ event }) => event)
      .filter((event) => event.conversationId === conversationId);
  }

  add(changes: ChangeSet): void {
    this.#active.add(changes);
  }

  /** Returns what the next flush stores; null if there is nothing. The same again until `endFlush`. */
  startFlush(): FlushBatch | null {
    if (this.#flushing || this.#active.size === 0) return this.#flushing;
    this.#flushing = this.#active;
    this.#active = new FlushBatch();
    return this.#flushing;
  }

  /** Call after the batch of `startFlush` is in the database. */
  endFlush(): void {
    for (const { table, key, row } of this.#flushing?.rows.values() ?? [])
      if (CACHED.has(table)) this.#stored.set(idOf(table, key), row);
    this.#flushing = null;
  }

  /** Forgets the batch of `startFlush`: its commit was rejected. */
  dropFlush(): void {
    this.#flushing = null;
  }

  /** Forgets everything. */
  clear(): void {
    this.#active = new FlushBatch();
    this.#flushing = null;
    this.#stored.clear();
  }

  /** Empties the cache of stored rows. Call after something other than a flush changed the database. */
  forgetStored(): void {
    this.#stored.clear();
  }
}

type Row = TableRows[Table];

/** Rows that the cache keeps. */
const CACHED_ROWS = 512;

/** Recently changed rows, so that changing them again needs no read. Safe because only the store writes. */
class RowCache {
  readonly #rows = new Map<string, Row>();

  get(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  /** Null: the row was deleted. */
  set(id: string, row: Row | null): void {
    this.#rows.delete(id);
    if (row) this.#rows.set(id, row);
    const [oldest] = this.#rows.size > CACHED_ROWS ? this.#rows.keys() : [];
    if (oldest !== undefined) this.#rows.delete(oldest);
  }

  clear(): void {
    this.#rows.clear();
  }
}
