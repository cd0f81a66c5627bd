/** The store on a database that is watched at its port: what is asked of it and written to it is counted. */
import { join } from 'node:path';
import type { Database } from '#core/store/database.ts';
import { migrate, readMigrations } from '#core/store/opening/migrate.ts';
import type { Store } from '#core/store/store.ts';
import { storeOn } from '#core/store/store-on.ts';
import { connect } from '#core/store/surreal.ts';

/** Of all that happened since the store was opened. */
export interface PortCounts {
  /** Transactions; those that write lists and the search index are counted alone. */
  commits: number;
  rows: number;
  indexCommits: number;
  indexRows: number;
  queries: number;
}

const OPEN_MS = 30_000;
/** Tables that are written behind the log, from what it has. */
const INDEX = /\b(workflow_index|list_segment|list_column|list_term|facet|search_segment|search_words)\b|\$queue\b/;
const INDEX_QUEUE = /\bFROM index_queue\b/;
/** A statement that names the list of its rows. */
const LISTED = /^(?:INSERT (?:IGNORE )?INTO \w+|DELETE) \$(\w+)/;

/** `indexed: false`: lists and search are never told that a workflow ended, so nothing is written for them. */
export async function openWatched(
  url: string,
  { indexed }: { indexed: boolean },
): Promise<{ store: Store; counts: PortCounts }> {
  const database = await connect(url, { timeoutMs: OPEN_MS });
  await migrate(database, await readMigrations(join(import.meta.dirname, '../../schema')));
  const counts: PortCounts = { commits: 0, rows: 0, indexCommits: 0, indexRows: 0, queries: 0 };
  const { store } = storeOn({
    ...database,
    query: async (sql, values) => {
      counts.queries += 1;
      return !indexed && INDEX_QUEUE.test(sql) ? [[]] : database.query(sql, values);
    },
    transaction: async (sql, values) => {
      count(counts, sql, values);
      await database.transaction(sql, values);
    },
  });
  return { store, counts };
}

function count(counts: PortCounts, sql: string, values: Parameters<Database['transaction']>[1]): void {
  const statements = sql.split(';').map((statement) => statement.trim());
  const rows = statements.reduce((sum, statement) => sum + rowsOf(statement, values), 0);
  if (INDEX.test(sql)) {
    counts.indexCommits += 1;
    counts.indexRows += rows;
  } else {
    counts.commits += 1;
    counts.rows += rows;
  }
}

/** One where the statement names no list. */
function rowsOf(statement: string, values: Record<string, unknown> = {}): number {
  if (statement === '') return 0;
  const list = values[LISTED.exec(statement)?.[1] ?? ''];
  return Array.isArray(list) ? list.length : 1;
}
