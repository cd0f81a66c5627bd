/** Reads decoded rows: one by its key, those of one statement, or those that belong to each of several owners. */
import type { Database } from '../database.ts';
import { withEnvelopes } from './envelope-texts.ts';
import { queryEach } from './query-each.ts';
import { decodeRow, SELECT_JSON, type Stored } from './row-codec.ts';
import type { Key, Row, Table } from '../store.ts';

/** Tables whose rows contain envelopes. */
const ENVELOPED: ReadonlySet<Table> = new Set<Table>(['run', 'approval']);

/** Rows are not parsed again: only the store writes them, so callers name their type. */
export class Reader {
  readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async row<T>(table: Table, id: Key): Promise<T | null> {
    const known = this.database.known?.(table, id);
    if (known !== undefined) return known as T | null;
    const found = await this.rows<T>(table, 'SELECT * FROM $id', { id: this.database.record(table, id) });
    return found[0] ?? null;
  }

  async rows<T>(table: Table, sql: string, values: Row = {}): Promise<T[]> {
    return this.#decoded(table, (await this.database.query(sql, values)) as Stored[][]);
  }

  /** In the order of the workflows. */
  async ofWorkflows<T>(table: Table, workflowIds: readonly string[]): Promise<T[]> {
    const select = `SELECT ${SELECT_JSON} FROM ${table} WITH INDEX by_workflow WHERE workflowId =`;
    const found = await queryEach(this.database, [...new Set(workflowIds)], (id, bind) => [`${select} ${bind(id)}`]);
    return this.#decoded(table, found.flat() as Stored[][]);
  }

  async #decoded<T>(table: Table, results: readonly Stored[][]): Promise<T[]> {
    const rows = results.flat().map((stored) => decodeRow(table, stored));
    return (ENVELOPED.has(table) ? await withEnvelopes(this.database, rows) : rows) as T[];
  }
}

/** Ids sort by their time of creation. */
export function byId(a: { id: string }, b: { id: string }): number {
  return compare(a.id, b.id);
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
