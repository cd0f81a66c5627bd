/** The tables say what the contract says: the same words, the same columns. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Outcome, Status } from '#contract/outcome.ts';
import { newId } from '#core/base/ids.ts';
import { COLUMNS } from '#core/store/rows/row-codec.ts';
import type { RowChange } from '#contract/rows.ts';
import { openOn, type Opened } from './support.ts';

let opened: Opened;
beforeAll(async () => {
  opened = await openOn('mem');
});
afterAll(() => opened.close());

interface Info {
  fields: Record<string, string>;
  indexes: Record<string, string>;
}
async function info(table: string): Promise<Info> {
  return (await opened.database.query(`INFO FOR TABLE ${table}`))[0] as Info;
}
/** The words of an assertion such as `$value IN ['a', 'b']`. */
function words(field = ''): string[] {
  return [...(/\$value IN(?:SIDE)? \[(.*?)\]/.exec(field)?.[1] ?? '').matchAll(/'(.*?)'/g)].map(
    (match) => match[1] ?? '',
  );
}

test.for(['workflow', 'run', 'sub_agent_execution'])(
  'the statuses and outcomes of %s equal those of the contract',
  async (table) => {
    const { fields } = await info(table);
    expect(words(fields.status)).toEqual(Status.options);
    expect(words(fields.outcome)).toEqual(Outcome.options);
  },
);

test('every column that the code writes is defined, and every table is strict', async () => {
  const [tables] = (await opened.database.query('INFO FOR DB')) as [{ tables: Record<string, string> }];
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const { fields } = await info(table);
    for (const column of columns) expect(Object.keys(fields), table).toContain(column);
  }
  for (const [table, definition] of Object.entries(tables.tables)) expect(definition, table).toContain('SCHEMAFULL');
});

const execution = {
  workflow_id: newId(),
  parent_agent_id: newId(),
  sub_agent_id: newId(),
  sub_agent_name: 'n',
  task_description: 't',
  status: 'pending',
  created_at: '2026-03-01T11:59:00.000Z',
};
/** Also rows that the types refuse. */
const insert = (row: object, key = newId()) => ({ table: 'sub_agent_execution', key, row }) as RowChange;

test('an execution row requires its fields and a valid status, and is indexed by workflow and parent', async () => {
  const { store } = opened;
  await store.commit([insert(execution)]);
  for (const field of Object.keys(execution)) {
    const { [field as keyof typeof execution]: _, ...rest } = execution;
    await expect(store.commit([insert(rest)]), field).rejects.toMatchObject({ code: 'store_failed' });
  }
  await expect(store.commit([insert({ ...execution, status: 'failed' })])).rejects.toThrow(/status/);
  await expect(store.commit([insert({ ...execution, outcome: 'failed' })])).rejects.toThrow(/outcome/);
  await expect(store.commit([insert({ ...execution, duration_ms: 1.5 })])).rejects.toThrow(/duration_ms/);
  const { indexes } = await info('sub_agent_execution');
  expect(Object.values(indexes).join('\n')).toMatch(
    /FIELDS workflow_id[\s\S]*FIELDS parent_agent_id|FIELDS parent_agent_id[\s\S]*FIELDS workflow_id/,
  );
});

test('an execution row is readable as plain columns', async () => {
  const { store, database } = opened;
  const key = newId();
  const full = {
    ...execution,
    status: 'completed',
    outcome: 'partial',
    duration_ms: 12,
    tokens_input: 5,
    tokens_output: 6,
    tokens_estimated: 4,
    result_summary: 'a\0b',
    error_message: 'e',
    kind: 'chain',
    model: 'm',
    nano_usd: 7_000_000_000,
    envelope_hash: 'h',
    trace_id: 't',
    parent_chain: ['user', 'lead'],
    parent_execution_id: 'x',
    chain_trigger: 'next',
    chain_index: 2,
    created_at: '2026-03-01T12:00:00.123Z',
    completed_at: '2026-03-01T12:00:01.000Z',
  };
  const bare = newId();
  await store.commit([insert(full, key)]);
  await store.commit([insert(execution, bare)]);
  const sql = 'SELECT * OMIT id FROM $id';
  const [[row]] = (await database.query(sql, { id: database.record('sub_agent_execution', key) })) as [[object]];
  expect(JSON.parse(JSON.stringify(row))).toEqual(full);
  const type = 'SELECT VALUE type::is_datetime(created_at) FROM $id';
  expect(await database.query(type, { id: database.record('sub_agent_execution', bare) })).toEqual([[true]]);
});
