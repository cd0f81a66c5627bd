/** What the queries and commits need of a database driver. */
import type { Key } from './store.ts';

export interface Database {
  /** One call; one result for each statement. Rejects with the first error. */
  query(sql: string, values?: Record<string, unknown>): Promise<unknown[]>;
  /** All of the statements or none; rejects with the error that was the cause. */
  transaction(sql: string, values?: Record<string, unknown>): Promise<void>;
  /** A record's id as a value of queries. */
  record(table: string, key: Key): unknown;
  close(): Promise<void>;
}
