/** A database of which some rows cannot be read, as if their large values were in a damaged block. */
import type { Closable } from '#core/store/closable.ts';
import { StoreDamaged } from '#core/store/faults.ts';

export interface DamagedRows {
  table: string;
  /** Record id of the damaged row as text; null: all rows of the table. */
  record: string | null;
  /** Rejects the reads of single rows, in place of the damage. */
  failure?: Error;
}

/** Rejects each read that meets a damaged row. Ids can still be read. `rows`: null for none. */
export function withDamagedRows(database: Closable, rows: () => DamagedRows | null): Closable {
  return {
    ...database,
    query: (sql, values = {}) => {
      const damage = rows();
      if (!damage || !meets(damage, sql, values)) return database.query(sql, values);
      const isSingle = values['one'] !== undefined;
      return Promise.reject((isSingle && damage.failure) || new StoreDamaged('/data/store', 'Corruption'));
    },
  };
}

function meets({ table, record }: DamagedRows, sql: string, values: Record<string, unknown>): boolean {
  if (/SELECT VALUE (?:record::id\(id\)|id) FROM/.test(sql)) return false;
  const named = ['one', 'id', 'run', 'records'].flatMap((name) => values[name] ?? []);
  const own = named.map(String).filter((id) => id.startsWith(`${table}:`));
  const isScan = new RegExp(`FROM[^;]*\\b${table}\\b`).test(sql);
  return isScan || own.some((id) => record === null || id === record);
}
