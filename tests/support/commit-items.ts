/** Items of commits. */
import type { DurableEvent } from '#contract/event.ts';
import type { RowKey, Table, TableRows } from '#contract/rows.ts';
import type { CommitItem, ExistingRowChange } from '#core/store/store.ts';

export function eventItems(events: readonly DurableEvent[]): CommitItem[] {
  return events.map((event) => ({ event }));
}

/** The events of a commit. */
export function eventsIn(items: readonly CommitItem[]): DurableEvent[] {
  return items.flatMap((item) => ('event' in item ? item.event : []));
}

/** Replaces fields of an existing row. */
export function setFields<T extends Table>(table: T, key: RowKey, fields: Partial<TableRows[T]>): ExistingRowChange {
  return { table, key, change: (row: TableRows[T]) => ({ ...row, ...fields }) } as unknown as ExistingRowChange;
}
