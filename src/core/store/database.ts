/** What the queries and commits need of a database driver. */
import type { RowKey, Table, TableRows } from '#contract/rows.ts';

export interface Database {
  /** Executes statements in one call; returns one result for each. Rejects with the first error. */
  query(sql: string, values?: Record<string, unknown>): Promise<unknown[]>;
  /** Executes statements atomically. Rejects with the error that caused the rollback. */
  transaction(sql: string, values?: Record<string, unknown>): Promise<void>;
  /** The row as memory has it, null where it was deleted; undefined where only the database knows. */
  known?<T extends Table>(table: T, key: RowKey): TableRows[T] | null | undefined;
  /** A record id, usable as a query parameter. */
  record(table: string, key: RowKey): unknown;
  close(): Promise<void>;
  /** Called when a read skips something that cannot be read. */
  unreadable?(): void;
}
