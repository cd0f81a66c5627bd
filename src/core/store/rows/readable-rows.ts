/**
 * Reads rows past those that cannot be read. If one row of a select is in a damaged block, the engine rejects the whole
 * select, and a scan of the table ends there without an error. So the rows are then read one by one, by their ids.
 */
import type { Database } from '../database.ts';
import { StoreDamaged } from '../faults.ts';
import type { Row } from '../store.ts';
import { readDense } from './dense.ts';
import { queryEach } from './query-each.ts';

export interface IndexedSelect {
  /** Projection, such as `*` or `VALUE json`. */
  columns: string;
  /** Its ids start with the time of their creation. */
  table: string;
  index: string;
  where: string;
  /** Column that orders the index, and the maximum number of rows. */
  page?: { order: string; count: number };
}

/** Maximum number of rows that are read at the same time. */
const TOGETHER = 50;

/** Returns the rows of an index, without those that cannot be read. */
export async function selectIndexed<T>(
  database: Database,
  { columns, table, index, where, page }: IndexedSelect,
  values: Row,
): Promise<T[]> {
  const limit = page === undefined ? '' : ' LIMIT $count';
  const sql = `SELECT ${columns} FROM ${table} WITH INDEX ${index} WHERE ${where}${limit}`;
  try {
    return ((await database.query(sql, { ...values, ...(page && { count: page.count }) })) as T[][])[0] ?? [];
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
  }
  const records = (await readIds(database, table)).map((id) => database.record(table, id));
  const rows = await selectEach<T>(database, `SELECT ${columns} FROM $one WHERE ${where}`, records, values);
  if (page === undefined) return rows;
  const orderOf = (row: T): string => String((row as Row)[page.order]);
  return rows.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)).slice(0, page.count);
}

/** Returns the rows of each owner, in the order of the owners, without those that cannot be read. */
export async function selectOfOwners<T>(
  database: Database,
  { owner, where, ...select }: Omit<IndexedSelect, 'page' | 'where'> & { owner: string; where?: string },
  owners: readonly string[],
): Promise<T[][]> {
  const { columns, table, index } = select;
  const rest = where === undefined ? '' : `${where} AND `;
  try {
    const found = await queryEach(database, owners, (id, bind) => [
      `SELECT ${columns} FROM ${table} WITH INDEX ${index} WHERE ${rest}${owner} = ${bind(id)}`,
    ]);
    return found.flat() as T[][];
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
  }
  const rows: T[][] = [];
  for (const id of owners)
    rows.push(await selectIndexed<T>(database, { ...select, where: `${rest}${owner} = $id` }, { id }));
  return rows;
}

/** Returns the rows with these record ids, without missing or unreadable ones. */
export async function selectRecords<T>(database: Database, records: readonly unknown[], columns = '*'): Promise<T[]> {
  if (records.length === 0) return [];
  try {
    return ((await database.query(`SELECT ${columns} FROM $records`, { records })) as T[][])[0] ?? [];
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
    return selectEach<T>(database, `SELECT ${columns} FROM $one`, records, {});
  }
}

/** Returns the rows of a range of ids, without those that cannot be read. `range`: such as `run_part:[$run, 0]..`. */
export async function selectRange<T>(database: Database, columns: string, range: string, values: Row): Promise<T[]> {
  try {
    return ((await database.query(`SELECT ${columns} FROM ${range}`, values)) as T[][])[0] ?? [];
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
  }
  // Ids are in another place than large values.
  const [records = []] = (await database.query(`SELECT VALUE id FROM ${range}`, values)) as unknown[][];
  return selectEach<T>(database, `SELECT ${columns} FROM $one`, records, {});
}

/** Returns the number of readable rows of a table. */
export async function countReadable(database: Database, table: string): Promise<number> {
  const records = (await readIds(database, table)).map((id) => database.record(table, id));
  return (await selectEach(database, 'SELECT VALUE 1 FROM $one WHERE absent = NONE', records, {})).length;
}

async function selectEach<T>(database: Database, sql: string, records: readonly unknown[], values: Row): Promise<T[]> {
  const rows: T[] = [];
  for (let from = 0; from < records.length; from += TOGETHER) {
    const some = records.slice(from, from + TOGETHER).map(async (one) => {
      try {
        return ((await database.query(sql, { ...values, one })) as T[][])[0] ?? [];
      } catch (error) {
        if (!(error instanceof StoreDamaged)) throw error;
        database.unreadable?.();
        return [];
      }
    });
    rows.push(...(await Promise.all(some)).flat());
  }
  return rows;
}

/** Reads the ids of a table past damaged blocks: ids sort by their time, so a read can continue at any later time. */
export async function readIds(database: Database, table: string): Promise<string[]> {
  const sql = `SELECT VALUE record::id(id) FROM type::record('${table}', $from..$to)`;
  const read = async (from: number, to: number): Promise<string[]> =>
    ((await database.query(sql, { from: firstIdAt(from), to: firstIdAt(to + 1) })) as string[][])[0] ?? [];
  const last = numberOfId(idAt(Date.now() + SKEW_MS));
  return (await readDense(read, numberOfId, { from: 0, to: last, newest: () => Promise.resolve(last) })).items;
}

/** Start of the numbers of ids: with it, a time and a counter of 12 bits are a safe integer. */
const EPOCH_MS = Date.parse('2020-01-01T00:00:00Z');
const COUNTS = 4096;
/** Largest difference between the clock and the time in an id, in milliseconds. */
const SKEW_MS = 60_000;

const idAt = (ms: number, count = 0): string => {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${count.toString(16).padStart(3, '0')}`;
};

/** Position of an id by its time of creation and its counter. */
function numberOfId(id: string): number {
  const ms = parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return (ms - EPOCH_MS) * COUNTS + parseInt(id.slice(15, 18), 16);
}

/** The prefix of the ids with this number; empty, which sorts before every id, for the first. */
function firstIdAt(number: number): string {
  return number <= 0 ? '' : idAt(EPOCH_MS + Math.floor(number / COUNTS), number % COUNTS);
}
