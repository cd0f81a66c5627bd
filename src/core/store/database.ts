/** What the queries and commits need of a database driver. */
import type { Key, Row, Table } from './store.ts';

export interface Database {
  /** Executes statements in one call; returns one result for each. Rejects with the first error. */
  query(sql: string, values?: Record<string, unknown>): Promise<unknown[]>;
  /** Executes statements atomically. Rejects with the error that caused the rollback. */
  transaction(sql: string, values?: Record<string, unknown>): Promise<void>;
  /** The row as memory has it, null where it was deleted; undefined where only the database knows. */
  known?(table: Table, key: Key): Row | null | undefined;
  /** A record id, usable as a query parameter. */
  record(table: string, key: Key): unknown;
  close(): Promise<void>;
}
