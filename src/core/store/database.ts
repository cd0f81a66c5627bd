/** What the queries and commits need of a database driver. */
import type { Key } from './store.ts';

export interface Database {
  /** Executes statements in one call; returns one result for each. Rejects with the first error. */
  query(sql: string, values?: Record<string, unknown>): Promise<unknown[]>;
  /** Executes statements atomically. Rejects with the error that caused the rollback. */
  transaction(sql: string, values?: Record<string, unknown>): Promise<void>;
  /** A record id, usable as a query parameter. */
  record(table: string, key: Key): unknown;
  close(): Promise<void>;
}
