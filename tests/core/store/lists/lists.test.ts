/** Pages of conversations and workflows: newest first, filtered, without gaps or repeats, and by index. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { newId } from '#core/base/ids.ts';
import { ENGINES } from '../engines.ts';
import { conversationRow, openOn, type Opened, openStoreOn, put, runRow, workflowRow } from '../support.ts';
import { eventItems, setFields } from '../../../support/commit-items.ts';

/** The statements of a query, or the selects of the one list that it returns, which stand in lines of their own. */
function selectsIn(sql: string): string[] {
  if (sql.startsWith('RETURN ')) return sql.split('\n').map((line) => /\((.*)\)[\],]*$/.exec(line)?.[1] ?? line);
  return sql.split(';').filter((one) => one.trim());
}

const minute = (n: number) => new Date(Date.parse('2026-03-01T12:00:00.000Z') + n * 60_000).toISOString();

interface Page {
  before?: string | undefined;
  limit: number;
}

async function allPages<T>(
  read: (page: Page) => Promise<{ items: T[]; next: string | null }>,
  limit: number,
): Promise<T[]> {
  const items: T[] = [];
  let before: string | undefined;
  do {
    const page = await read({ before, limit });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    before = page.next ?? undefined;
  } while (before !== undefined);
  return items;
}

describe.each(ENGINES)('on %s', (engine) => {
  let opened: Opened;
  let store: Opened['store'];
  beforeAll(async () => {
    opened = await openOn(engine);
    store = opened.store;
  });
  afterAll(() => opened.close());

  // First: what waits to be indexed would be read as well, each with the same statements.
  test('no list reads a whole table', async () => {
    const statements: { sql: string; values: Record<string, unknown> }[] = [];
    const watched: Opened['database'] = {
      ...opened.database,
      query: async (sql, values = {}) => {
        statements.push(...selectsIn(sql).map((one) => ({ sql: one, values })));
        return opened.database.query(sql, values);
      },
    };
    const reads = openStoreOn(watched);
    const id = newId();
    for (const query of [{}, { pinned: true }, { text: 'a' }, { folder: '/a' }] as const)
      await reads.conversations({ ...query, limit: 50 });
    await Promise.all([reads.lastSeq(id), reads.events(id, 1, 200)]);
    await Promise.all([reads.unfinishedWorkflows(), reads.openApprovals(), reads.requestsOf(id), reads.entriesOf(id)]);
    await Promise.all([reads.runsOf([id, newId()]), reads.callsOf([id]), reads.approvalsOf([id])]);
    for (const page of [{ limit: 50 }, { limit: 50, before: id }]) {
      for (const query of [{}, { conversationId: id }, { agent: 'lead' }, { agent: 'lead', outcome: 'error' } as const])
        await reads.workflows({ ...page, ...query });
      for (const sort of ['newest', 'cost', 'tokens', 'duration'] as const)
        await reads.workflows({ ...page, sort, status: 'error' });
      for (const sort of ['newest', 'cost', 'duration'] as const) await reads.executions({ ...page, sort, model: 'a' });
      await reads.executions(page);
      await reads.trashed(page);
    }
    await Promise.all([reads.facets(), reads.executionFacets(), reads.search({ text: 'two words', limit: 50 })]);
    expect(statements.length).toBeGreaterThan(90);
    for (const { sql, values } of statements) {
      // A worker reads its queue from the start, and deletes the rows that it has read.
      if (/FROM (index_queue|purge) /.test(sql)) continue;
      const plan = String((await opened.database.query(`EXPLAIN ${sql}`, values))[0]);
      expect(plan, sql).not.toContain('TableScan');
      expect(plan, sql).not.toContain('Sort');
      expect(plan, sql).toMatch(/IndexScan|RecordIdScan|SourceExpr/);
      // A filter above a limited scan would lose rows.
      if (sql.includes('LIMIT')) expect(plan, sql).not.toContain('Filter');
      if (sql.includes('LIMIT')) expect(plan, sql).toMatch(/IndexScan .*limit: \$count|SourceExpr/);
    }
  });

  test('conversations are listed by their last change, and a change moves a conversation to the front', async () => {
    // Two of each instant: the order of equals is the order of their creation.
    const rows = Array.from({ length: 25 }, (_, n) => conversationRow({ updatedAt: minute(Math.floor(n / 2)) }));
    await store.commit(rows.map((row) => put('conversation', row)));
    const newest = rows.map(({ id }) => id).reverse();
    expect((await allPages((page) => store.conversations(page), 10)).map(({ id }) => id)).toEqual(newest);
    expect((await store.conversations({ limit: 25 })).next).toBeNull();
    const first = await store.conversations({ limit: 5 });
    const moved = newest[20] ?? '';
    await store.commit([setFields('conversation', moved, { updatedAt: minute(99) })]);
    expect((await store.conversations({ limit: 1 })).items[0]?.id).toBe(moved);
    const rest = await store.conversations({ before: first.next ?? '', limit: 100 });
    expect(rest.items.map(({ id }) => id)).toEqual(newest.slice(5).filter((id) => id !== moved));
  });

  test('an update without a new change time does not move a conversation', async () => {
    const row = conversationRow({ updatedAt: minute(200) });
    const newer = conversationRow({ updatedAt: minute(201) });
    await store.commit([put('conversation', row), put('conversation', newer)]);
    await store.commit([setFields('conversation', row.id, { title: 'x', usage: { ...ZERO_TALLY, requests: 1 } })]);
    const [first, second] = (await store.conversations({ limit: 2 })).items;
    expect([first?.id, second?.id]).toEqual([newer.id, row.id]);
  });

  test('lists the workflows of a conversation, and the unfinished workflows', async () => {
    const [one, two] = [newId(), newId()];
    const rows = Array.from({ length: 48 }, (_, n) =>
      workflowRow({ conversationId: n % 2 === 0 ? one : two, status: n % 3 === 0 ? 'completed' : 'running' }),
    ).reverse();
    await store.commit(rows.map((row) => put('workflow', row)));
    for (const conversationId of [undefined, one]) {
      const found = await allPages((page) => store.workflows({ ...page, conversationId }), 5);
      const expected = rows.filter((row) => conversationId === undefined || row.conversationId === conversationId);
      expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    }
    const unfinished = await store.unfinishedWorkflows();
    expect(unfinished.map(({ id }) => id)).toEqual(
      rows
        .filter(({ status }) => status === 'running')
        .map(({ id }) => id)
        .reverse(),
    );
  });

  test('pages have no gaps or repeats while workflows are added', async () => {
    const conversationId = newId();
    const rows = Array.from({ length: 30 }, () => workflowRow({ conversationId }));
    await store.commit(rows.map((row) => put('workflow', row)));
    const read = async (page: Page) => {
      await store.commit([put('workflow', workflowRow({ conversationId }))]);
      return store.workflows({ ...page, conversationId });
    };
    const ids = (await allPages(read, 7)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(rows.every(({ id }) => ids.includes(id))).toBe(true);
  });

  test('returns runs in order of creation, and the last event number despite an outdated row', async () => {
    const workflowIds = [newId(), newId()];
    const runs = Array.from({ length: 9 }, (_, n) => runRow({ workflowId: workflowIds[n % 2] ?? '' }));
    await store.commit([...runs].reverse().map((row) => put('run', row)));
    expect(await store.runsOf(workflowIds)).toEqual(runs);
    const row = conversationRow({ lastSeq: 3 });
    const events = Array.from({ length: 2500 }, (_, index) => ({
      type: 'notice',
      seq: index + 1,
      at: minute(0),
      conversationId: row.id,
      workflowId: row.id,
      runId: row.id,
      parentRunId: null,
      agent: 'lead',
      level: 'info',
      text: '',
    })) as DurableEvent[];
    await store.commit([...eventItems(events), put('conversation', row)]);
    expect(await store.lastSeq(row.id)).toBe(2500);
  });
});
