/** Encodes rows for the tables: the whole row as JSON text, plus the few columns that queries need. */
import { SubAgentExecution } from '#contract/execution.ts';
import { Outcome, Status } from '#contract/outcome.ts';
import type { RowChange, RowKey, Table } from '#contract/rows.ts';
import type { RunRow } from '#contract/view.ts';
import { TriadError } from '../../base/errors.ts';
import type { EnvelopeTexts } from './envelope-texts.ts';
import { frameOf, textOf } from './frame.ts';
import type { Row } from '../store.ts';

/** Columns with an instant, which is ISO in the row; the others hold plain JSON. A column is left out for null. */
const INSTANTS: ReadonlySet<string> = new Set<keyof SubAgentExecution>(['created_at', 'completed_at']);

const EXECUTION = SubAgentExecution.omit({ id: true });

/** Tables with a row of their own for each row; the others are in `run_part`. */
export type StoredTable = Exclude<Table, 'message' | 'tool_call' | 'model_request'>;

/** The columns that are written, beside `json` and `place`. An execution has nothing but columns, and takes no other field. */
export const COLUMNS: Readonly<Record<StoredTable, readonly string[]>> = {
  conversation: [],
  workflow: ['conversationId', 'status', 'outcome'],
  run: ['workflowId', 'status', 'outcome', 'model'],
  sub_agent_execution: Object.keys(EXECUTION.shape),
  approval: ['workflowId', 'open'],
  open_message: ['workflowId'],
  memory: [],
  permission_grant: [],
};

const NO_JSON: ReadonlySet<StoredTable> = new Set<StoredTable>(['sub_agent_execution']);
/** Their JSON is a frame in `text`: they are the largest rows. */
const FRAMED: ReadonlySet<StoredTable> = new Set<StoredTable>(['run', 'approval']);
const PLACED: ReadonlySet<StoredTable> = new Set<StoredTable>(['conversation', 'workflow']);

/** The `ON DUPLICATE KEY UPDATE` assignments of each table: all written columns. */
export const REPLACE: Readonly<Record<StoredTable, string>> = Object.fromEntries(
  (Object.keys(COLUMNS) as StoredTable[]).map((table) => {
    const columns = [
      ...(NO_JSON.has(table) ? [] : [FRAMED.has(table) ? 'text' : 'json']),
      ...COLUMNS[table],
      ...(PLACED.has(table) ? ['place'] : []),
    ];
    return [table, columns.map((column) => `${column} = $input.${column}`).join(', ')];
  }),
) as Record<StoredTable, string>;

/** The stored form of a row, without its id. */
export function encodeRow(table: StoredTable, key: RowKey, row: Row, envelopes: EnvelopeTexts): Row {
  const stored: Row = {};
  if (NO_JSON.has(table)) mustFit(table, row);
  else if (FRAMED.has(table)) stored.text = frameOf(envelopes.jsonOf(row));
  else stored.json = envelopes.jsonOf(table === 'conversation' ? { ...row, deletedAt: undefined } : row);
  for (const field of COLUMNS[table]) {
    const value = field === 'model' && table === 'run' ? getModel(row) : row[field];
    if (value === null || value === undefined) continue;
    stored[field] = INSTANTS.has(field) ? new Date(value as string) : value;
  }
  // What was taken over stands in no list but that of its conversation.
  if (table === 'workflow' && row.copiedFrom) stored.listed = false;
  const place = sortKeyOf(table, key, row);
  if (place !== null) stored.place = place;
  return stored;
}

function getModel({ envelope }: Row): unknown {
  return (envelope as RunRow['envelope']).model;
}

/** Every field of an execution is a column. */
function validateColumns(table: StoredTable, row: Row): void {
  mustFit(table, row);
  const { error } = EXECUTION.safeParse(row);
  if (!error) return;
  const fields = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  throw new TriadError('store_failed', `The store refused a write: ${fields}`);
}

function isStoredTable(table: Table): table is StoredTable {
  return Object.hasOwn(COLUMNS, table);
}

/** Values that the schema accepts in a column. */
const CHOICES: Readonly<Record<string, ReadonlySet<unknown>>> = {
  status: new Set<unknown>(Status.options),
  outcome: new Set<unknown>([...Outcome.options, null, undefined]),
};

/** Throws `store_failed` for a row that the schema refuses, before the row is in the journal. */
export function validateRow({ table, row }: RowChange): void {
  // Other rows have no column of their own.
  if (row === null || !isStoredTable(table)) return;
  const values: Row = { ...row };
  if (NO_JSON.has(table)) validateColumns(table, values);
  for (const column of COLUMNS[table]) {
    const value = values[column];
    if (CHOICES[column]?.has(value) ?? true) continue;
    throw new TriadError('store_failed', `The store refused a write: '${String(value)}' is no ${column} of a ${table}`);
  }
}

function mustFit(table: StoredTable, row: Row): void {
  const field = Object.keys(row).find((name) => !COLUMNS[table].includes(name));
  if (field !== undefined) throw new TriadError('internal', `The table ${table} has no field "${field}".`);
}

/** What a row is read as: its JSON text, that as a frame, or all of its columns. */
export type Stored = Row | string | ArrayBuffer;

/** Projection for `decodeRow`: the JSON text alone, which halves the work. */
export const SELECT_JSON = 'VALUE text ?? json';

/** Decodes a stored row; envelopes are still hashes. Throws where a frame is not what was written. */
export function decodeRow(table: StoredTable, stored: Stored): Row {
  if (typeof stored === 'string') return JSON.parse(stored) as Row;
  if (stored instanceof ArrayBuffer) return JSON.parse(textOf(stored)) as Row;
  if (NO_JSON.has(table)) return decodeColumns(table, stored);
  const row = decodeRow(table, (stored.text ?? stored.json) as string | ArrayBuffer);
  // The trash writes this column without touching the JSON, which may change concurrently.
  return typeof stored.deletedAt === 'string' ? { ...row, deletedAt: stored.deletedAt } : row;
}

function decodeColumns(table: StoredTable, stored: Row): Row {
  const row: Row = {};
  for (const field of COLUMNS[table]) {
    const value = stored[field];
    // The engine's datetimes have more digits, and write themselves out as texts.
    if (value !== undefined)
      row[field] = INSTANTS.has(field) ? new Date(JSON.parse(JSON.stringify(value)) as string).toISOString() : value;
  }
  return row;
}

/** Sort key in the newest-first lists; null if the table has none. */
function sortKeyOf(table: StoredTable, key: RowKey, { pinned, updatedAt }: Row): string | null {
  if (typeof key !== 'string') return null;
  if (table === 'workflow') return sortKeyOfId(key);
  if (table !== 'conversation') return null;
  return `${pinned === true ? PINNED : ''}${sortKeyOfInstant(updatedAt as string)}-${sortKeyOfId(key)}`;
}

/** Before the sort key of a pinned conversation, so that these are a range of their own, before all others. */
export const PINNED = '!';
/** Sorts behind every pinned one, and before all others. */
export const AFTER_PINNED = '"';

/** Sorts later instants first. */
export function sortKeyOfInstant(at: string): string {
  return sortKeyOfId(Date.parse(at).toString(16).padStart(12, '0'));
}

/** Inverts every hex digit, so that ids sort newest first. */
export function sortKeyOfId(id: string): string {
  return id.replace(/[0-9a-f]/g, (digit) => (15 - parseInt(digit, 16)).toString(16));
}

/** A string that identifies a row across all tables. */
export function idOf(table: string, key: RowKey): string {
  // The first part of a key that is a list is an id, so the comma after it is unambiguous.
  return `${table}:${String(key)}`;
}

/** Escapes lone surrogates in a call id, which the engine would replace. */
export function exactKey(key: RowKey): RowKey {
  if (typeof key === 'string' || typeof key[1] === 'number') return key;
  const [owner, name] = key;
  return name.isWellFormed() && !name.startsWith('"') ? key : [owner, JSON.stringify(name)];
}
