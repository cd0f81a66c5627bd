/** Evaluates the items of a commit in order, and returns one final row for each row that they change. */
import type { RowChange, RowPlace, RowReader, Table, TableRows } from '#contract/rows.ts';
import { project, rowsReadBy } from '#domain/project.ts';
import { TriadError } from '../../base/errors.ts';
import { exactKey, idOf } from '../rows/row-codec.ts';
import type { CommitItem } from '../store.ts';

/**
 * `read` loads a row as it was before the items. `onMissing` is called for each row that an item must change and that
 * does not exist; if it does not throw, that change is left out.
 */
export async function changedRows(
  items: readonly CommitItem[],
  read: (place: RowPlace) => Promise<TableRows[Table] | null>,
  onMissing: (place: RowPlace) => void,
): Promise<RowChange[]> {
  const rows = new Map<string, TableRows[Table] | null>();
  const changes = new Map<string, RowChange>();
  const reader: RowReader = {
    get: <T extends Table>(table: T, key: RowPlace['key']) =>
      (rows.get(idOf(table, exactKey(key))) ?? null) as TableRows[T] | null,
  };
  for (const item of items) {
    for (const { table, key: given } of rowsToLoad(item)) {
      const key = exactKey(given);
      const id = idOf(table, key);
      if (!rows.has(id)) rows.set(id, await read({ table, key }));
    }
    for (const change of evaluate(item, reader, onMissing)) {
      const key = exactKey(change.key);
      const id = idOf(change.table, key);
      rows.set(id, change.row);
      changes.set(id, { ...change, key });
    }
  }
  return [...changes.values()];
}

/** Rejects a change of a row that does not exist. */
export function refuseMissing({ table, key }: RowPlace): never {
  const id = idOf(table, exactKey(key));
  throw new TriadError('store_failed', `The store refused a write: there is no ${id} to change`);
}

function rowsToLoad(item: CommitItem): readonly RowPlace[] {
  if ('event' in item) return rowsReadBy(item.event);
  return 'change' in item ? [item] : [];
}

function evaluate(item: CommitItem, rows: RowReader, onMissing: (place: RowPlace) => void): RowChange[] {
  if ('event' in item) return project(rows, item.event, onMissing);
  if (!('change' in item)) return [item];
  const { table, key } = item;
  // The row of an item's table is what its function takes, which the compiler cannot follow through a union.
  const change = item.change as (row: TableRows[Table]) => TableRows[Table];
  const row = rows.get(table, key);
  if (row) return [{ table, key, row: change(row) } as RowChange];
  onMissing(item);
  return [];
}
