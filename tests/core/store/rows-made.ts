/** Rows in memory, as writes make them: what a store would hold, without one. */
import type { DurableEvent } from '#contract/event.ts';
import { apply } from '#core/store/apply.ts';
import type { Row, Table, Write } from '#core/store/store.ts';

type Values = Record<string, unknown>;

/** By table and key. */
export class RowsMade {
  readonly #rows = new Map<string, Row>();

  constructor(events: readonly DurableEvent[]) {
    for (const event of events) for (const write of apply(event)) this.#write(write);
  }

  /** Null where there is none. */
  row(table: Table, ...key: (string | number)[]): Row | null {
    return this.#rows.get(JSON.stringify([table, ...key])) ?? null;
  }

  count(table: Table): number {
    return [...this.#rows.keys()].filter((key) => (JSON.parse(key) as string[])[0] === table).length;
  }

  #write(write: Write): void {
    const key = JSON.stringify([write.table, ...[write.key].flat()]);
    if (write.kind === 'delete') return void this.#rows.delete(key);
    // A conversation's row is there before its events.
    const before = this.#rows.get(key) ?? (write.table === 'conversation' ? {} : null);
    if (write.kind === 'put') return void this.#rows.set(key, structuredClone(write.row));
    if (write.kind !== 'update') throw new Error('there is no such kind of write');
    if (!before && write.isOptional) return;
    if (!before) throw new Error(`${write.table} ${key} is changed but not there`);
    const row = structuredClone({ ...write.initial, ...before, ...write.set });
    for (const [path, more] of Object.entries(write.add ?? {})) addAt(row, path.split('.'), more);
    for (const [field, value] of Object.entries(write.union ?? {}))
      row[field] = [...new Set([...listOf(row, field), value])];
    for (const [field, value] of Object.entries(write.append ?? {})) row[field] = [...listOf(row, field), value];
    for (const [field, { index, value }] of Object.entries(write.item ?? {}))
      row[field] = Object.assign([...listOf(row, field)], { [index]: value });
    this.#rows.set(key, row);
  }
}

function listOf(row: Values, field: string): unknown[] {
  return (row[field] ?? []) as unknown[];
}

function addAt(row: Values, [first = '', ...rest]: string[], more: number): void {
  if (rest.length === 0) row[first] = ((row[first] ?? 0) as number) + more;
  else addAt((row[first] ??= {}) as Values, rest, more);
}
