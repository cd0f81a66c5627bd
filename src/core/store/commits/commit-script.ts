/** Builds the statements of one transaction from a batch of events and row changes. */
import type { DurableEvent } from '#contract/event.ts';
import type { Change } from './coalesce.ts';
import type { Database } from '../database.ts';
import type { EnvelopeTexts } from '../rows/envelope-texts.ts';
import { blocksOf } from '../rows/event-blocks.ts';
import { encodeRow, REPLACE } from '../rows/row-codec.ts';
import { isKind } from '../rows/run-parts.ts';
import type { Row, Table } from '../store.ts';

/** Statements and their parameters; values are never written into the text. */
export interface Script {
  sql: string;
  values: Row;
}

/** What one transaction writes. */
export interface Batch {
  events: readonly DurableEvent[];
  changes: readonly Change[];
  /** Marks of conversations whose rows lag behind their events: the number of the last event that they show; null: none lags. */
  marks: ReadonlyMap<string, number | null>;
  /** Rows of `run_part`, which have the changes of runs in them. */
  parts: readonly Row[];
  /** Workflows that the index takes up, with the number of the event that ended them. */
  ended: readonly { workflowId: string; seq: number }[];
}

/** The text depends only on which tables change; rows are parameters, many to a statement. */
export function commitScript(
  { events, changes, marks, parts, ended }: Batch,
  envelopes: EnvelopeTexts,
  { record }: Pick<Database, 'record'>,
): Script {
  const values: Row = {};
  const statements: string[] = [];
  const insert = (table: string, rows: readonly Row[], existing = ''): void => {
    if (rows.length === 0) return;
    values[table] = rows;
    statements.push(`INSERT INTO ${table} $${table} ${existing} RETURN NONE;`);
  };
  // Fails the transaction if the row exists: two writers cannot use the same event number.
  insert(
    'event',
    blocksOf(events, (event) => envelopes.jsonOf(event)),
  );
  insert(
    'index_queue',
    ended.map(({ workflowId, seq }) => ({ id: [workflowId, seq] })),
  );
  const lagging = [...marks].flatMap(([id, applied]) => (applied === null ? [] : { id, applied }));
  insert('lagging', lagging, 'ON DUPLICATE KEY UPDATE applied = $input.applied');
  const gone = [
    ...changes.filter(({ row }) => row === null).map(({ table, key }) => record(table, key)),
    ...[...marks].flatMap(([id, applied]) => (applied === null ? record('lagging', id) : [])),
  ];
  if (gone.length > 0) {
    values.gone = gone;
    statements.push('DELETE $gone RETURN NONE;');
  }
  const tables = new Map<Table, Row[]>();
  for (const { table, key, row } of changes) {
    if (row === null || isKind(table)) continue;
    const rows = tables.get(table) ?? [];
    rows.push({ ...encodeRow(table, key, row, envelopes), id: key });
    tables.set(table, rows);
  }
  for (const [table, rows] of tables) insert(table, rows, `ON DUPLICATE KEY UPDATE ${REPLACE[table]}`);
  insert('run_part', parts, 'ON DUPLICATE KEY UPDATE text = $input.text');
  insert('envelope', envelopes.fresh, 'ON DUPLICATE KEY UPDATE text = $input.text');
  return { sql: statements.join('\n'), values };
}
