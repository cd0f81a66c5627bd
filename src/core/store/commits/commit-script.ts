/** Builds the statements of one transaction from the changes of many commits. */
import type { Table } from '#contract/rows.ts';
import type { Database } from '../database.ts';
import type { EnvelopeTexts, FreshEnvelopes } from '../rows/envelope-texts.ts';
import { blocksOf } from '../rows/event-blocks.ts';
import { frameOf } from '../rows/frame.ts';
import { encodeRow, REPLACE, type StoredTable } from '../rows/row-codec.ts';
import { isKind } from '../rows/run-parts.ts';
import type { Row } from '../store.ts';
import { COUNT_NEW_ROWS } from './journal-state.ts';
import type { FlushBatch } from './pending-changes.ts';

/** Statements and their parameters; values are never written into the text. */
export interface Script {
  sql: string;
  values: Row;
  /** Envelopes of rows that no event of the batch had. */
  envelopes: FreshEnvelopes;
}

export interface Flush {
  batch: FlushBatch;
  /** Rows of `run_part`, which contain the changed rows of runs. */
  parts: readonly Row[];
  /** Newest generation of journal records among the changes; null without a journal. */
  generation: number | null;
}

/** The text depends only on which tables change; rows are parameters, many to a statement. */
export function commitScript(
  { batch, parts, generation }: Flush,
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
  insert('event', blocksOf(batch.events));
  const ends = batch.events.filter(({ event }) => event.type === 'workflow-end');
  insert(
    'index_queue',
    ends.map(({ event }) => ({ id: [event.workflowId, event.seq] })),
  );
  const changes = [...batch.rows.values()];
  const idsIn = (name: Table) =>
    changes.flatMap(({ table, key, row }) => (table === name && row !== null ? [record(table, key)] : []));
  Object.assign(values, { conversations: idsIn('conversation'), workflows: idsIn('workflow'), generation });
  statements.unshift(
    `UPSERT meta:journal SET ${generation === null ? '' : 'applied = $generation, '}${COUNT_NEW_ROWS} RETURN NONE;`,
  );
  const deleted = changes.filter(({ row }) => row === null).map(({ table, key }) => record(table, key));
  if (deleted.length > 0) {
    values['deleted'] = deleted;
    statements.push('DELETE $deleted RETURN NONE;');
  }
  const tables = new Map<StoredTable, Row[]>();
  for (const { table, key, row } of changes) {
    if (row === null || isKind(table)) continue;
    const rows = tables.get(table) ?? [];
    rows.push({ ...encodeRow(table, key, { ...row }, envelopes), id: key });
    tables.set(table, rows);
  }
  for (const [table, rows] of tables) insert(table, rows, `ON DUPLICATE KEY UPDATE ${REPLACE[table]}`);
  insert('run_part', parts, 'ON DUPLICATE KEY UPDATE text = $input.text');
  const fresh = envelopes.takeFresh();
  const texts = [...batch.envelopes.values(), ...[...fresh.values()].flat()];
  insert(
    'envelope',
    texts.map(({ id, json }) => ({ id: [...id], text: frameOf(json) })),
    'ON DUPLICATE KEY UPDATE text = $input.text',
  );
  return { sql: statements.join('\n'), values, envelopes: fresh };
}
