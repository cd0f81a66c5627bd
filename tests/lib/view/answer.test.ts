/** How answers of MCP servers are shown. */
import { expect, test } from 'vitest';
import { answerOf, objectIn, TABLE_ROWS, tableOf } from '#lib/view/answer.ts';
import type { Call } from '#lib/view/transcript.ts';

const ROWS = [
  { id: 1, open: true },
  { id: 2, by: 'ada', open: null },
];
const TABLE = {
  columns: ['id', 'open', 'by'],
  rows: [
    [1, true, null],
    [2, null, 'ada'],
  ],
  more: 0,
};

function answered(output: string, metadata: Record<string, unknown> = {}, name = 'mcp__tracker__list') {
  const entry = { kind: 'tool', n: 1, at: '2026-01-01T00:00:00.000Z', toolCallId: 'a', status: 'completed' } as const;
  const result: Call['result'] = { ...entry, name, output, durationMs: 5, metadata };
  return { name, result };
}

test('a list of flat objects is a table, also as the only field of an object', () => {
  expect(tableOf(ROWS)).toEqual(TABLE);
  expect(tableOf({ result: ROWS })).toEqual(TABLE);
});

test.for([
  ['an empty list', []],
  ['objects without fields', [{}, {}]],
  ['objects within objects', [{ id: 1, at: {} }]],
  ['lists', [[1], [2]]],
  ['values', [1, 2]],
  ['an object', { id: 1, rows: ROWS }],
  ['more columns than one can read', [Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`c${n}`, n]))]],
] as const)('shows no table for %s', ([, value]) => {
  expect(tableOf(value)).toBeNull();
});

test('a long table is truncated, and states the number of omitted rows', () => {
  const table = tableOf(Array.from({ length: TABLE_ROWS + 3 }, (_, id) => ({ id })));
  expect([table?.rows.length, table?.more]).toEqual([TABLE_ROWS, 3]);
});

test('an inherited field is no cell of a table', () => {
  expect(tableOf([{ toString: 'x' }, { id: 1 }])?.rows).toEqual([
    ['x', null],
    [null, 1],
  ]);
});

test('shows JSON text and structured answers as a table or tree', () => {
  expect(answerOf(answered(JSON.stringify(ROWS)))).toEqual({ kind: 'table', table: TABLE, text: null });
  const weather = { temperature: 36 };
  const tree = { kind: 'json', value: weather, text: null };
  expect(answerOf(answered('{"temperature": 36}', { structured: weather }))).toEqual(tree);
  expect(answerOf(answered('{"temperature": 36}', { structured: '{"temperature":36}' }))).toEqual(tree);
});

test('shows the text for the model beside a structured answer that differs', () => {
  const structured = { temperature: 36 };
  expect(answerOf(answered('It is warm.', { structured }))).toMatchObject({ value: structured, text: 'It is warm.' });
  expect(answerOf(answered('{"temperature": 12}', { structured }))).toMatchObject({ text: '{"temperature": 12}' });
});

test('shows words, other tools and failed calls as text', () => {
  expect(answerOf(answered('Echo: [1]'))).toBeNull();
  expect(answerOf(answered('[1', {}))).toBeNull();
  expect(answerOf(answered('42'))).toBeNull();
  expect(answerOf(answered('{"a": 1}', {}, 'read_file'))).toBeNull();
  const failed = answered('{"a": 1}');
  expect(answerOf({ ...failed, result: { ...failed.result, status: 'error' } })).toBeNull();
  expect(answerOf({ name: failed.name, result: null })).toBeNull();
  expect(objectIn('null')).toBeNull();
});
