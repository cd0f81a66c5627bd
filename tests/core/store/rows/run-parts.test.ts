/** Rows of runs in parts: a few rows whatever a run does, from wherever it goes on, past a part that cannot be read. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Entry } from '#contract/message.ts';
import { newId } from '#core/base/ids.ts';
import type { Write } from '#core/store/store.ts';
import { storeOn } from '#core/store/surreal.ts';
import { openOn, type Opened } from '../support.ts';

let opened: Opened;
let run: string;
beforeAll(async () => void (opened = await openOn('mem')));
beforeEach(() => void (run = newId()));
afterAll(() => opened.close());

const at = '2026-03-01T12:00:00.000Z';
const entry = (n: number, text = `Number ${n}`): Entry => ({ n, at, kind: 'system', code: 'resumed', text });
const putEntry = (n: number, text?: string): Write => {
  return { kind: 'put', table: 'message', key: [run, n], row: { entry: entry(n, text) } };
};
const call = (toolCallId: string, status: string) => ({ runId: run, toolCallId, name: 'grep', status });
const putCall = (toolCallId: string, status: string): Write => {
  return { kind: 'put', table: 'tool_call', key: [run, toolCallId], row: call(toolCallId, status) };
};
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

async function commit(...writes: Write[]): Promise<void> {
  await opened.store.commit([], writes);
}

/** The first entries of its parts. */
async function parts(): Promise<number[]> {
  const sql = 'SELECT VALUE record::id(id)[1] FROM run_part:[$run, NONE]..[$run, ..]';
  return (await opened.database.query(sql, { run }))[0] as number[];
}

test('entries share rows, of which only the newest is written again', async () => {
  for (const n of numbers(0, 150)) await commit(putEntry(n));
  expect(await parts()).toEqual([0, 64, 128]);
  const written: unknown[] = [];
  const watched = storeOn({
    ...opened.database,
    transaction: (sql, values) => {
      written.push(...((values?.['run_part'] ?? []) as { id: unknown }[]).map(({ id }) => id));
      return opened.database.transaction(sql, values);
    },
  }).store;
  // As after a start.
  await watched.commit([], [putEntry(150)]);
  await watched.commit([], [putEntry(151)]);
  expect(written).toEqual([
    [run, 128],
    [run, 128],
  ]);
  expect((await opened.store.entriesOf(run)).map(({ n }) => n)).toEqual(numbers(0, 152));
});

test('a part that is full of characters is followed by another one', async () => {
  const texts = [0, 1, 2, 3].map(() => randomBytes(20_000).toString('hex'));
  for (const [n, text] of texts.entries()) await commit(putEntry(n, text));
  expect(await parts()).toEqual([0, 2]);
  expect(await opened.store.entriesOf(run)).toEqual(texts.map((text, n) => entry(n, text)));
});

test('a call that ends in a later part counts as it ended, whatever its name', async () => {
  const odd = ['b\ud83e', '"a"', ' x y', '10', '9'];
  await commit(...odd.map((name) => putCall(name, 'running')), ...numbers(0, 64).map((n) => putEntry(n)));
  await commit(putEntry(64), ...odd.map((name) => putCall(name, 'completed')));
  expect(await parts()).toEqual([0, 64]);
  expect(await opened.store.callsOf([run, run])).toEqual(odd.sort().map((name) => call(name, 'completed')));
});

test('a run from before there were parts goes on, and its calls can change', async () => {
  const { database } = opened;
  const old = numbers(0, 70).map((n) => ({ id: [run, n], json: JSON.stringify({ entry: entry(n) }) }));
  await database.query('INSERT INTO message $old', { old });
  await database.query('INSERT INTO tool_call $old', {
    old: [{ id: [run, 'c'], json: JSON.stringify(call('c', 'completed')) }],
  });
  opened = { ...opened, store: storeOn(database).store };
  await commit({ kind: 'update', table: 'tool_call', key: [run, 'c'], set: { undone: true } });
  await commit(...numbers(70, 75).map((n) => putEntry(n)));
  opened = { ...opened, store: storeOn(database).store };
  await commit({ kind: 'update', table: 'tool_call', key: [run, 'c'], append: { undos: 1 } });
  expect(await parts()).toEqual([70]);
  expect((await opened.store.entriesOf(run)).map(({ n }) => n)).toEqual(numbers(0, 75));
  expect(await opened.store.callsOf([run])).toEqual([{ ...call('c', 'completed'), undone: true, undos: [1] }]);
});

test('a part that is not what was written costs its own rows alone, and the run goes on', async () => {
  for (const n of numbers(0, 200)) await commit(putEntry(n));
  for (const first of [64, 192])
    await opened.database.query('UPDATE $part SET text = <bytes>"x"', {
      part: opened.database.record('run_part', [run, first]),
    });
  opened = { ...opened, store: storeOn(opened.database).store };
  for (const n of numbers(200, 203)) await commit(putEntry(n));
  const found = (await opened.store.entriesOf(run)).map(({ n }) => n);
  expect(found).toEqual([...numbers(0, 64), ...numbers(128, 192), ...numbers(200, 203)]);
});
