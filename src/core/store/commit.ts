/** One batch of events and writes as the statements of one transaction. */
import type { DurableEvent } from '#contract/event.ts';
import { TriadError } from '../errors.ts';
import type { Database } from './database.ts';
import { type Changes, coalesce, type Put, type Update } from './coalesce.ts';
import { COLUMNS, columnOf, encodeField, encodeRow, hasDoc, placeOf, type Row } from './rows.ts';
import type { Key, Table, Write } from './store.ts';

/** Statements with the values that they name; values never stand in the text. */
export interface Script {
  sql: string;
  values: Row;
}

export function commitScript(
  events: readonly DurableEvent[],
  writes: readonly Write[],
  { record }: Pick<Database, 'record'>,
): Script {
  const values: Row = {};
  let count = 0;
  const bind = (value: unknown): string => {
    const name = `v${count++}`;
    values[name] = value;
    return `$${name}`;
  };
  const changes = coalesce(writes);
  const { deletes, puts, updates } = changes;
  const statements: string[] = [];
  if (events.length > 0) {
    // An event that exists already fails the whole: two writers never share a number.
    const rows = events.map((event) => ({
      id: [event.conversationId, event.seq],
      json: JSON.stringify(event),
    }));
    statements.push(`INSERT INTO event ${bind(rows)} RETURN NONE;`);
  }
  for (const { table, key } of deletes) {
    statements.push(`DELETE ${bind(record(table, key))} RETURN NONE;`);
    if (table === 'workflow') statements.push(unlist(key, bind));
  }
  for (const [table, group] of Map.groupBy(puts, (put) => put.table))
    statements.push(insert(table, group, bind));
  for (const update of updates) statements.push(upsert(update, bind, record));
  statements.push(...relists(changes, bind, record));
  return { sql: statements.join('\n'), values };
}

type Bind = (value: unknown) => string;

/** Rows of one table, whether they exist or not. */
function insert(table: Table, puts: readonly Put[], bind: Bind): string {
  const rows = puts.map(({ key, row }) => ({ ...encodeRow(table, key, row), id: key }));
  const columns = [
    ...Object.keys(COLUMNS[table]),
    ...(hasDoc(table) ? ['doc'] : []),
    ...(isListed(table) ? ['place'] : []),
  ];
  const replace = columns.map((column) => `${column} = $input.${column}`).join(', ');
  return `INSERT INTO ${table} ${bind(rows)} ON DUPLICATE KEY UPDATE ${replace} RETURN NONE;`;
}

/** Operators only: in an UPSERT the engine reads every field on the right-hand side as NONE. */
function upsert(
  { table, key, set, add, union, item }: Update,
  bind: Bind,
  record: Database['record'],
): string {
  const changes: string[] = [];
  for (const [field, value] of Object.entries(set)) {
    const column = columnOf(table, field);
    changes.push(`${column === 'doc' ? `doc.${field}` : field} = ${bind(encodeField(column, value))}`);
  }
  const place = placeOf(table, key, set);
  if (place !== null && 'updatedAt' in set) changes.push(`place = ${bind(place)}`);
  for (const [path, amount] of Object.entries(add)) {
    const [field = '', inner] = path.split('.');
    mustFit(
      columnOf(table, field) === (inner === undefined ? 'int' : 'tally') && /^\w+(\.\w+)?$/.test(path),
      table,
      path,
    );
    if (amount !== 0) changes.push(`${path} += ${bind(amount)}`);
  }
  for (const [field, words] of Object.entries(union)) {
    mustFit(columnOf(table, field) === 'words', table, field);
    for (const word of words) changes.push(`${field} +?= ${bind(word)}`);
  }
  for (const [field, elements] of Object.entries(item)) {
    mustFit(columnOf(table, field) === 'parts', table, field);
    for (const [index, value] of elements)
      changes.push(`${field}[${Math.trunc(index)}] = ${bind(JSON.stringify(value))}`);
  }
  return changes.length === 0
    ? ''
    : `UPSERT ${bind(record(table, key))} SET ${changes.join(', ')} RETURN NONE;`;
}

function mustFit(allowed: boolean, table: Table, field: string): void {
  if (!allowed)
    throw new TriadError('internal', `The field "${field}" of ${table} cannot be changed in this way.`);
}

function isListed(table: Table): boolean {
  return table === 'conversation' || table === 'workflow';
}

/** Brings `workflow_agent` in line with the workflows that changed, as this transaction leaves them. */
function relists({ puts, updates }: Changes, bind: Bind, record: Database['record']): string[] {
  const changed = updates.filter(
    ({ set, union }) => 'outcome' in set || 'agents' in set || 'agents' in union,
  );
  // Only an addition leaves the agents that are listed in their place.
  const added = new Set(changed.filter(({ set }) => !('agents' in set)).map(({ key }) => key));
  const keys = [...puts, ...changed].filter(({ table }) => table === 'workflow').map(({ key }) => key);
  return keys.map((key) => (added.has(key) ? '' : unlist(key, bind)) + relist(key, bind, record));
}

function unlist(workflow: Key, bind: Bind): string {
  const owner = bind(workflow);
  return `DELETE workflow_agent:[${owner}, NONE]..[${owner}, ..] RETURN NONE;\n`;
}

function relist(key: Key, bind: Bind, record: Database['record']): string {
  const workflow = bind(record('workflow', key));
  const row = `${workflow}_row`;
  const content = `{ workflow: ${workflow}, agent: $agent, outcome: ${row}.outcome, place: ${row}.place }`;
  return (
    `LET ${row} = (SELECT agents, outcome, place FROM ONLY ${workflow});\n` +
    `FOR $agent IN ${row}.agents { ` +
    `UPSERT type::record('workflow_agent', [record::id(${workflow}), $agent]) CONTENT ${content} RETURN NONE; };`
  );
}
