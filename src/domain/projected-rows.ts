/** The rows in memory that follow from events, for programs that follow a conversation without its store. */
import type { DurableEvent } from '#contract/event.ts';
import type { RowChange, RowKey, RowPlace, RowReader, Table, TableRows } from '#contract/rows.ts';
import { project } from './project.ts';

export class ProjectedRows implements RowReader {
  readonly #tables: ReadonlyMap<Table, Map<string, RowChange>>;

  /** Keeps the rows of these tables alone. */
  constructor(tables: readonly Table[]) {
    this.#tables = new Map(tables.map((table) => [table, new Map()]));
  }

  get<T extends Table>(table: T, key: RowKey): TableRows[T] | null {
    return (this.#tables.get(table)?.get(keyText(key))?.row ?? null) as TableRows[T] | null;
  }

  put(change: RowChange): void {
    const rows = this.#tables.get(change.table);
    if (change.row === null) rows?.delete(keyText(change.key));
    else rows?.set(keyText(change.key), change);
  }

  /** `onMissing`: see `project`. */
  apply(event: DurableEvent, onMissing?: (place: RowPlace) => void): RowChange[] {
    const changes = project(this, event, onMissing);
    for (const change of changes) this.put(change);
    return changes;
  }

  /** Returns the rows of a table, in the order in which they were made. */
  all<T extends Table>(table: T): { key: RowKey; row: TableRows[T] }[] {
    const changes = [...(this.#tables.get(table)?.values() ?? [])];
    return changes.map(({ key, row }) => ({ key, row: row as TableRows[T] }));
  }
}

function keyText(key: RowKey): string {
  return JSON.stringify([key].flat());
}
