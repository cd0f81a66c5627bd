/** Reads decoded rows: one by its key, those of one statement, or those that belong to each of several owners. */
import type { RowKey } from '#contract/rows.ts';
import type { RunRow } from '#contract/view.ts';
import type { Database } from '../database.ts';
import { StoreDamaged } from '../faults.ts';
import { withEnvelopes } from './envelope-texts.ts';
import { selectIndexed, selectOfOwners, selectRange, selectRecords } from './readable-rows.ts';
import { decodeRow, SELECT_JSON, type Stored, type StoredTable } from './row-codec.ts';
import type { Row } from '../store.ts';

/** Tables whose rows contain envelopes. */
const ENVELOPED: ReadonlySet<StoredTable> = new Set<StoredTable>(['run', 'approval']);

/** Rows are not parsed again: only the store writes them, so callers name their type. */
export class Reader {
  readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async row<T>(table: StoredTable, id: RowKey): Promise<T | null> {
    const known = this.database.known?.(table, id);
    if (known !== undefined) return known as T | null;
    const found = await this.rows<T>(table, 'SELECT * FROM $id', { id: this.database.record(table, id) });
    return found[0] ?? null;
  }

  async rows<T>(table: StoredTable, sql: string, values: Row = {}): Promise<T[]> {
    return this.#decoded(table, (await this.database.query(sql, values)) as Stored[][]);
  }

  /** Returns the rows of a range of ids, without those that cannot be read. */
  async range<T>(table: StoredTable, range: string, values: Row = {}): Promise<T[]> {
    return this.#decoded(table, [await selectRange<Stored>(this.database, '*', range, values)]);
  }

  /** Returns the rows of an index, without those that cannot be read. */
  async indexed<T>(table: StoredTable, index: string, where: string): Promise<T[]> {
    const found = await selectIndexed<Stored>(this.database, { columns: '*', table, index, where }, {});
    return this.#decoded(table, [found]);
  }

  /** Returns the rows with these keys, without missing or unreadable ones. */
  async records<T>(table: StoredTable, keys: readonly RowKey[]): Promise<T[]> {
    const records = keys.map((key) => this.database.record(table, key));
    return this.#decoded(table, [await selectRecords<Stored>(this.database, records)]);
  }

  /** Returns the rows with these ids by id, without missing or unreadable ones. */
  async byId<T extends { id: string }>(table: StoredTable, ids: readonly string[]): Promise<Map<string, T>> {
    return new Map((await this.records<T>(table, [...new Set(ids)])).map((row) => [row.id, row]));
  }

  /** In the order of the workflows, without rows that cannot be read. */
  async ofWorkflows<T>(table: StoredTable, workflowIds: readonly string[]): Promise<T[]> {
    const owners = [...new Set(workflowIds)];
    const select = { columns: SELECT_JSON, table, index: 'by_workflow', owner: 'workflowId' };
    return this.#decoded(table, await selectOfOwners<Stored>(this.database, select, owners));
  }

  /** Runs with nothing of their envelopes but the model, in the order of the workflows. */
  async plainRuns(workflowIds: readonly string[]): Promise<PlainRun[]> {
    const select = { columns: 'VALUE { text: text, model: model }', table: 'run', index: 'by_workflow' };
    const owners = [...new Set(workflowIds)];
    const found = await selectOfOwners<PlainColumns>(this.database, { ...select, owner: 'workflowId' }, owners);
    return found
      .flat()
      .map(({ text, model }) => ({ ...(decodeRow('run', text) as unknown as RunRow), envelope: { model } }));
  }

  readonly #skip = (): [] => {
    this.database.unreadable?.();
    return [];
  };

  async #decoded<T>(table: StoredTable, results: readonly Stored[][]): Promise<T[]> {
    const rows = results.flat().map((stored) => decodeRow(table, stored));
    if (!ENVELOPED.has(table)) return rows as T[];
    const complete = withEnvelopes(this.database, rows).catch(async (error: unknown) => {
      if (!(error instanceof StoreDamaged)) throw error;
      const each = rows.map((row) => withEnvelopes(this.database, [row]).catch(this.#skip));
      return (await Promise.all(each)).flat();
    });
    return (await complete) as T[];
  }
}

/** A run without the texts of its envelope. */
export type PlainRun = Omit<RunRow, 'envelope'> & { envelope: Pick<RunRow['envelope'], 'model'> };

interface PlainColumns {
  text: ArrayBuffer;
  model: string;
}

/** Ids sort by their time of creation. */
export function byId(a: { id: string }, b: { id: string }): number {
  return compare(a.id, b.id);
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
