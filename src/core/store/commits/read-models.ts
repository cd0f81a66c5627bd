/**
 * The read models in memory, behind which those of the database lag: rows that changed since the last flush, and which
 * conversations have such rows. A commit marks a conversation before its rows lag, so that a start knows what to replay.
 */
import type { DurableEvent } from '#contract/event.ts';
import { idOf } from '../rows/row-codec.ts';
import type { Key, Row, Table } from '../store.ts';
import type { Change } from './coalesce.ts';
import type { Batch } from './commit-script.ts';
import { RowCache } from './row-cache.ts';

/** Tables whose rows change often; rows of the others are written once or twice. */
const CACHED: ReadonlySet<Table> = new Set<Table>([
  ...(['conversation', 'workflow', 'run', 'sub_agent_execution', 'approval'] as const),
]);

type Flush = Pick<Batch, 'changes' | 'marks' | 'ended'>;

export class ReadModels {
  /** As the database has them. */
  readonly #clean = new RowCache();
  readonly #dirty = new Map<string, Change>();
  /** Conversations with a mark in the database: the number of the last event that shows in the rows in memory. */
  readonly #marked = new Map<string, number>();
  /** Workflows without an end, with their conversation: its mark stays, so that their commits need not set it again. */
  readonly #live = new Map<string, string>();
  #ended: Batch['ended'] = [];

  /** Number of rows that the database does not have yet. */
  get size(): number {
    return this.#dirty.size;
  }

  /** Whether the database lacks something. */
  get lags(): boolean {
    return this.#dirty.size > 0 || this.#ended.length > 0;
  }

  /** Null: deleted; undefined: only the database knows. */
  row(table: Table, key: Key): Row | null | undefined {
    const id = idOf(table, key);
    const dirty = this.#dirty.get(id);
    return dirty ? dirty.row : this.#clean.get(id);
  }

  /** Whether it is a conversation of which nothing lags. */
  isWhole({ table, key }: Change): boolean {
    return table === 'conversation' && !this.#marked.has(String(key));
  }

  /** The marks that a commit of these events has to set first, each with the last event that the rows show. */
  marksFor(events: readonly DurableEvent[]): Map<string, number> {
    const marks = new Map<string, number>();
    for (const { conversationId, seq } of events)
      if (!this.#marked.has(conversationId) && !marks.has(conversationId)) marks.set(conversationId, seq - 1);
    return marks;
  }

  /** Takes in what these events, committed with the marks that they need, changed. */
  lag(events: readonly DurableEvent[], changes: readonly Change[]): void {
    for (const { conversationId, seq } of events) this.#marked.set(conversationId, seq);
    track(this.#live, events);
    this.#ended = [...this.#ended, ...endsOf(events)];
    for (const change of changes) this.#dirty.set(idOf(change.table, change.key), change);
  }

  /** All that the database lacks, once these events and changes have been added to it. */
  flush(events: readonly DurableEvent[], changes: readonly Change[]): Flush {
    const rows = new Map(this.#dirty);
    for (const change of changes) rows.set(idOf(change.table, change.key), change);
    const last = new Map(this.#marked);
    for (const { conversationId, seq } of events) if (last.has(conversationId)) last.set(conversationId, seq);
    const live = new Map(this.#live);
    track(live, events);
    const alive = new Set(live.values());
    const marks = new Map([...last].map(([id, seq]) => [id, alive.has(id) ? seq : null]));
    return { changes: [...rows.values()], marks, ended: [...this.#ended, ...endsOf(events)] };
  }

  /** To be called when such a flush is stored. */
  flushed({ changes, marks }: Flush, events: readonly DurableEvent[]): void {
    track(this.#live, events);
    this.#ended = [];
    this.#dirty.clear();
    this.stored(changes);
    for (const [id, applied] of marks)
      if (applied === null) this.#marked.delete(id);
      else this.#marked.set(id, applied);
  }

  /** Rows that the database has now, and that lag behind nothing. */
  stored(changes: readonly Change[]): void {
    for (const { table, key, row } of changes) if (CACHED.has(table)) this.#clean.set(idOf(table, key), row);
  }

  /** A mark that a process which died has left: its conversation shows events up to `applied`. */
  found(conversationId: string, applied: number): void {
    this.#marked.set(conversationId, applied);
  }

  /** Forgets what is as the database had it, after rows were changed by something other than a commit. */
  forget(): void {
    this.#clean.clear();
  }
}

function track(live: Map<string, string>, events: readonly DurableEvent[]): void {
  for (const { type, workflowId, conversationId } of events) {
    if (type === 'workflow-start') live.set(workflowId, conversationId);
    else if (type === 'workflow-end') live.delete(workflowId);
  }
}

function endsOf(events: readonly DurableEvent[]): Batch['ended'] {
  return events.filter(({ type }) => type === 'workflow-end').map(({ workflowId, seq }) => ({ workflowId, seq }));
}
