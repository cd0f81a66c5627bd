/** How rows lie in the tables: which fields are columns, and every other field as one JSON text in `doc`. */
import { TriadError } from '../errors.ts';
import type { Key, Table } from './store.ts';

export type Row = Record<string, unknown>;

/**
 * What a column holds: `text`, `optional` (text or null), `int`, `tally` (an object of integers), `words` (a list of
 * texts), `parts` (a list whose elements are JSON texts), `instant` (a datetime, ISO in the row).
 */
export type Column = 'text' | 'optional' | 'int' | 'tally' | 'words' | 'parts' | 'instant';

/** The columns of `schema/`; the tables without a `doc` take no other field. */
export const COLUMNS: Readonly<Record<Table, Readonly<Record<string, Column>>>> = {
  conversation: { lastSeq: 'int', usage: 'tally' },
  workflow: {
    ...{ conversationId: 'text', agents: 'words', status: 'text', outcome: 'optional' },
    ...{ subAgentCount: 'int', usage: 'tally' },
  },
  run: { workflowId: 'text', status: 'text', outcome: 'optional', usage: 'tally' },
  sub_agent_execution: {
    ...{ workflow_id: 'text', parent_agent_id: 'text', sub_agent_id: 'text', sub_agent_name: 'text' },
    ...{
      task_description: 'text',
      status: 'text',
      outcome: 'optional',
      duration_ms: 'int',
      tokens_input: 'int',
    },
    ...{ tokens_output: 'int', result_summary: 'optional', error_message: 'optional', created_at: 'instant' },
    ...{ completed_at: 'instant', kind: 'optional', envelope_hash: 'optional', trace_id: 'optional' },
    ...{
      parent_chain: 'words',
      parent_execution_id: 'optional',
      chain_trigger: 'optional',
      chain_index: 'int',
    },
  },
  message: {},
  tool_call: { status: 'text' },
  approval: { workflowId: 'text', decisions: 'parts', open: 'int' },
  model_request: { workflowId: 'text' },
  open_message: {},
  message_part: {},
  memory: {},
};

const PLAIN_TABLES: ReadonlySet<Table> = new Set<Table>(['sub_agent_execution']);

export function hasDoc(table: Table): boolean {
  return !PLAIN_TABLES.has(table);
}

/** Names go into the text of queries, so they are checked; values never do. */
export function columnOf(table: Table, field: string): Column | 'doc' {
  const column = COLUMNS[table][field];
  if (column !== undefined) return column;
  if (hasDoc(table) && /^[A-Za-z_]\w*$/.test(field)) return 'doc';
  throw new TriadError('internal', `The table ${table} has no field "${field}".`);
}

/** A field's value as it is stored; `undefined` is the engine's NONE. */
export function encodeField(column: Column | 'doc', value: unknown): unknown {
  if (column === 'doc') return JSON.stringify(value);
  if (value === null || value === undefined) return undefined;
  if (column === 'parts' && Array.isArray(value)) return value.map((part) => JSON.stringify(part));
  if (column === 'instant' && typeof value === 'string') return new Date(value);
  return value;
}

/** A whole row as it is stored, without its id. */
export function encodeRow(table: Table, key: Key, row: Row): Row {
  const doc: Row = {};
  const stored: Row = hasDoc(table) ? { doc } : {};
  for (const [field, value] of Object.entries(row)) {
    if (value === undefined) continue;
    const column = columnOf(table, field);
    (column === 'doc' ? doc : stored)[field] = encodeField(column, value);
  }
  const place = placeOf(table, key, row);
  return place === null ? stored : { ...stored, place };
}

/** A stored row in the shape of the contract. */
export function decodeRow(table: Table, stored: Row): Row {
  const row: Row = {};
  for (const [field, json] of Object.entries((stored.doc ?? {}) as Record<string, string>))
    row[field] = JSON.parse(json);
  for (const [field, column] of Object.entries(COLUMNS[table]))
    row[field] = decodeField(column, stored[field]);
  return row;
}

function decodeField(column: Column, value: unknown): unknown {
  if (value === undefined) return null;
  if (column === 'int') return Number(value);
  if (column === 'tally')
    return Object.fromEntries(Object.entries(value as object).map(([name, n]) => [name, Number(n)]));
  if (column === 'parts') return (value as string[]).map((part) => JSON.parse(part) as unknown);
  return value;
}

/** Where a row stands in the newest-first lists; null for what is in none, or does not move with these fields. */
export function placeOf(table: Table, key: Key, fields: Row): string | null {
  if (typeof key !== 'string') return null;
  if (table === 'workflow') return placeOfId(key);
  if (table !== 'conversation' || typeof fields.updatedAt !== 'string') return null;
  const time = Date.parse(fields.updatedAt).toString(16).padStart(12, '0');
  return `${placeOfId(time)}-${placeOfId(key)}`;
}

/** Every hex digit turned round: ids that sort by age then sort by youth. */
export function placeOfId(id: string): string {
  return id.replace(/[0-9a-f]/g, (digit) => (15 - parseInt(digit, 16)).toString(16));
}

/** A key that the engine takes exactly: a call id with half a surrogate pair would lose it on the way. */
export function exactKey(key: Key): Key {
  if (typeof key === 'string' || typeof key[1] === 'number') return key;
  const [owner, name] = key;
  return name.isWellFormed() && !name.startsWith('"') ? key : [owner, JSON.stringify(name)];
}
