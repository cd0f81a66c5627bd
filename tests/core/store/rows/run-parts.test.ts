/** Rows of runs in parts: a few rows whatever a run does, from wherever it goes on, past a part that cannot be read. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Entry } from '#contract/message.ts';
import type { ToolCallRow } from '#contract/view.ts';
import { newId } from '#core/base/ids.ts';
import { entryRows } from '#core/store/rows/run-parts.ts';
import type { RowChange } from '#contract/rows.ts';
import type { CommitItem } from '#core/store/store.ts';
import { openOn, type Opened, openStoreOn } from '../support.ts';
import { inFullRun, samples } from '../../../support/samples.ts';

let opened: Opened;
let run: string;
beforeAll(async () => void (opened = await openOn('mem')));
beforeEach(() => void (run = newId()));
afterAll(() => opened.close());

const at = '2026-03-01T12:00:00.000Z';
const entry = (n: number, text = `Number ${n}`): Entry => ({ n, at, kind: 'system', code: 'resumed', text });
const putEntry = (n: number, text?: string): RowChange => {
  return { table: 'message', key: [run, n], row: { entry: entry(n, text) } };
};
const call = (toolCallId: string, status: ToolCallRow['status']): ToolCallRow => {
  return { runId: run, toolCallId, name: 'grep', status, startedAt: at, endedAt: null };
};
const putCall = (toolCallId: string, status: ToolCallRow['status']): RowChange => {
  return { table: 'tool_call', key: [run, toolCallId], row: call(toolCallId, status) };
};
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

async function commit(...items: CommitItem[]): Promise<void> {
  await opened.store.commit(items);
}

/** The first entries of its parts. */
async function parts(): Promise<number[]> {
  const sql = 'SELECT VALUE record::id(id)[1] FROM run_part:[$run, NONE]..[$run, ..]';
  return (await opened.database.query(sql, { run }))[0] as number[];
}

test('entries share rows, and an append rewrites only the newest row', async () => {
  await commit(...numbers(0, 140).map((n) => putEntry(n)));
  for (const n of numbers(140, 150)) await commit(putEntry(n));
  expect(await parts()).toEqual([0, 64, 128]);
  const written: unknown[] = [];
  const watched = openStoreOn({
    ...opened.database,
    transaction: (sql, values) => {
      written.push(...((values?.['run_part'] ?? []) as { id: unknown }[]).map(({ id }) => id));
      return opened.database.transaction(sql, values);
    },
  });
  // As after a start.
  await watched.commit([putEntry(150)]);
  await watched.commit([putEntry(151)]);
  expect(written).toEqual([
    [run, 128],
    [run, 128],
  ]);
  expect((await opened.store.entriesOf(run)).map(({ n }) => n)).toEqual(numbers(0, 152));
});

test('starts a new part when a part reaches its size limit', async () => {
  const texts = [0, 1, 2, 3].map(() => randomBytes(20_000).toString('hex'));
  for (const [n, text] of texts.entries()) await commit(putEntry(n, text));
  expect(await parts()).toEqual([0, 2]);
  expect(await opened.store.entriesOf(run)).toEqual(texts.map((text, n) => entry(n, text)));
});

test('returns the final status of a call that ends in a later part, for any call id', async () => {
  const odd = ['b\ud83e', '"a"', ' x y', '10', '9'];
  await commit(...odd.map((name) => putCall(name, 'running')), ...numbers(0, 64).map((n) => putEntry(n)));
  await commit(putEntry(64), ...odd.map((name) => putCall(name, 'completed')));
  expect(await parts()).toEqual([0, 64]);
  expect(await opened.store.callsOf([run, run])).toEqual(odd.sort().map((name) => call(name, 'completed')));
});

test('a damaged part loses only its own rows, and later entries are stored', async () => {
  await commit(...numbers(0, 200).map((n) => putEntry(n)));
  for (const first of [64, 192])
    await opened.database.query('UPDATE $part SET text = <bytes>"x"', {
      part: opened.database.record('run_part', [run, first]),
    });
  opened = { ...opened, store: openStoreOn(opened.database) };
  for (const n of numbers(200, 203)) await commit(putEntry(n));
  const found = (await opened.store.entriesOf(run)).map(({ n }) => n);
  expect(found).toEqual([...numbers(0, 64), ...numbers(128, 192), ...numbers(200, 203)]);
  expect(await one(200)).toEqual(entry(200));
});

test('a read of several runs continues after a damaged part', async () => {
  await commit(...numbers(0, 200).map((n) => putEntry(n)));
  const part = opened.database.record('run_part', [run, 64]);
  await opened.database.query('UPDATE $part SET text = <bytes>"x"', { part });
  // The engine ends a range at a damaged place without a word.
  const upToDamage = (found: unknown) => {
    const rows = found as ArrayBuffer[];
    const end = rows.findIndex((row) => row.byteLength === 1);
    return end < 0 ? rows : rows.slice(0, end);
  };
  const query = async (sql: string, values = {}) => (await opened.database.query(sql, values)).map(upToDamage);
  const damaged = openStoreOn({ ...opened.database, query });
  const runs = [run, newId()].map((id, at) => ({ id, workflowId: newId(), entries: at === 0 ? 200 : 0 }));
  const { entries } = await damaged.recordsOf(runs, ['entries', 'calls']);
  const found = [...entries.values()].map((some) => some.map(({ n }) => n));
  expect(found).toEqual([[...numbers(0, 64), ...numbers(128, 200)], []]);
  // The range begins in the damaged part.
  const queryLists = async (sql: string, values = {}) => {
    const [lists] = (await opened.database.query(sql, values)) as [[unknown[]][]];
    return [lists.map(([frames]) => [upToDamage(frames)])];
  };
  const [rows] = await entryRows({ ...opened.database, query: queryLists }, [{ runId: run, from: 100, to: 150 }]);
  expect(rows?.map((row) => (row.entry as Entry).n)).toEqual(numbers(128, 151));
});

/** The entry as a search reads it: by its number alone. */
async function one(n: number): Promise<Entry | undefined> {
  const [rows] = await entryRows(opened.database, [{ runId: run, from: n, to: n }]);
  return rows?.[0]?.entry as Entry | undefined;
}

test('stores late entries in their earlier part after a restart', async () => {
  await commit(...[...numbers(0, 62), ...numbers(64, 70)].map((n) => putEntry(n)));
  opened = { ...opened, store: openStoreOn(opened.database) };
  await commit(putEntry(70), putEntry(62), putEntry(63));
  expect(await parts()).toEqual([0, 64]);
  expect(await one(62)).toEqual(entry(62));
  expect((await opened.store.entriesOf(run)).map(({ n }) => n)).toEqual(numbers(0, 71));
});

type Step = { kind: 'entry'; late: number; large: boolean } | { kind: 'call' } | { kind: 'end' } | { kind: 'start' };
const step: fc.Arbitrary<Step> = fc.oneof(
  // A message is stored after the results of its calls, whose places come after its own.
  {
    weight: 20,
    arbitrary: fc.record({
      kind: fc.constant('entry' as const),
      late: fc.constantFrom(0, 0, 0, 1, 2, 5),
      large: fc.integer({ min: 0, max: 15 }).map((n) => n === 0),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'call' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'end' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'start' as const }) },
);

test('returns each entry and the final status of each call after late or large entries and restarts', async () => {
  const large = randomBytes(35_000).toString('hex');
  const play = async (steps: Step[]) => {
    run = newId();
    const texts = new Map<number, string | undefined>();
    const waiting: { n: number; after: number }[] = [];
    const calls = new Map<string, string>();
    let next = 0;
    let group: RowChange[] = [];
    const put = (n: number, isLarge: boolean): void => {
      const text = isLarge ? large : undefined;
      texts.set(n, text);
      group.push(putEntry(n, text));
    };
    const call = (name: string, status: ToolCallRow['status']): void => {
      calls.set(name, status);
      group.push(putCall(name, status));
    };
    for (const [at, one] of [...steps, ...steps].entries()) {
      for (const late of waiting.filter(({ after }) => after <= at)) put(late.n, false);
      waiting.splice(0, waiting.length, ...waiting.filter(({ after }) => after > at));
      if (one.kind === 'entry' && one.late > 0) waiting.push({ n: next++, after: at + one.late });
      else if (one.kind === 'entry') put(next++, one.large);
      else if (one.kind === 'call') call(`c${calls.size}`, 'running');
      else if (one.kind === 'end') for (const [name] of [...calls].slice(-2)) call(name, 'completed');
      else opened = { ...opened, store: openStoreOn(opened.database) };
      if (at % 3 > 0) continue;
      await commit(...group);
      group = [];
    }
    for (const { n } of waiting) put(n, false);
    await commit(...group);
    const expected = [...texts].sort(([a], [b]) => a - b).map(([n, text]) => entry(n, text));
    expect(await opened.store.entriesOf(run)).toEqual(expected);
    for (const { n } of inFullRun ? expected : expected.filter((_, at) => at % 4 === 0 || at > expected.length - 10))
      expect(await one(n), `entry ${n}`).toEqual(expected[n]);
    const found = await opened.store.callsOf([run]);
    expect(new Map(found.map(({ toolCallId, status }) => [toolCallId, status]))).toEqual(calls);
  };
  const steps = fc.array(step, { minLength: 40, maxLength: 120 });
  await fc.assert(fc.asyncProperty(steps, play), samples(1, 20));
});
