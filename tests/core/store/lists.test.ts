/** Pages of conversations and workflows: newest first, filtered, without gaps or repeats, and by index. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '#contract/outcome.ts';
import { newId } from '#core/ids.ts';
import type { Database } from '#core/store/database.ts';
import type { Page, Paged, Store, Write } from '#core/store/store.ts';
import { storeOn } from '#core/store/surreal.ts';
import { conversationRow, openOn, type Opened, put, runRow, workflowRow } from './support.ts';

const minute = (n: number) => new Date(Date.parse('2026-03-01T12:00:00.000Z') + n * 60_000).toISOString();

async function allPages<T>(read: (page: Page) => Promise<Paged<T>>, limit: number): Promise<T[]> {
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

describe.each(['mem', 'rocksdb'] as const)('on %s', (engine) => {
  let opened: Opened;
  let store: Store;
  beforeAll(async () => {
    opened = await openOn(engine);
    store = opened.store;
  });
  afterAll(() => opened.close());

  test('conversations come by their last change, and move to the front with one', async () => {
    // Two of each instant: the order of equals is the order of their creation.
    const rows = Array.from({ length: 25 }, (_, n) =>
      conversationRow({ updatedAt: minute(Math.floor(n / 2)) }),
    );
    await store.commit(
      [],
      rows.map((row) => put('conversation', row)),
    );
    const newest = rows.map(({ id }) => id).reverse();
    expect((await allPages((page) => store.conversations(page), 10)).map(({ id }) => id)).toEqual(newest);
    expect((await store.conversations({ limit: 25 })).next).toBeNull();
    const first = await store.conversations({ limit: 5 });
    const moved = newest[20] ?? '';
    await store.commit(
      [],
      [{ kind: 'update', table: 'conversation', key: moved, set: { updatedAt: minute(99) } }],
    );
    expect((await store.conversations({ limit: 1 })).items[0]?.id).toBe(moved);
    const rest = await store.conversations({ before: first.next ?? '', limit: 100 });
    expect(rest.items.map(({ id }) => id)).toEqual(newest.slice(5).filter((id) => id !== moved));
  });

  test('reading, or a change that is none, does not move a conversation', async () => {
    const row = conversationRow({ updatedAt: minute(200) });
    const newer = conversationRow({ updatedAt: minute(201) });
    await store.commit([], [put('conversation', row), put('conversation', newer)]);
    await store.commit(
      [],
      [
        {
          kind: 'update',
          table: 'conversation',
          key: row.id,
          set: { title: 'x' },
          add: { 'usage.requests': 1 },
        },
      ],
    );
    const [first, second] = (await store.conversations({ limit: 2 })).items;
    expect([first?.id, second?.id]).toEqual([newer.id, row.id]);
  });

  test('workflows by outcome, agent, both and conversation', async () => {
    const [one, two] = [newId(), newId()];
    const outcomes: (Outcome | null)[] = ['completed', 'error', null];
    const agents = [['lead'], ['lead', 'reviewer'], ['lead', 'writer'], ['lead', 'reviewer', 'writer']];
    const rows = Array.from({ length: 48 }, (_, n) =>
      workflowRow({
        conversationId: n % 2 === 0 ? one : two,
        outcome: outcomes[n % 3] ?? null,
        status: outcomes[n % 3] === 'completed' ? 'completed' : 'running',
        agents: agents[n % 4] ?? [],
      }),
    ).reverse();
    await store.commit(
      [],
      rows.map((row) => put('workflow', row)),
    );
    for (const conversationId of [undefined, one]) {
      for (const outcome of [undefined, 'error', 'completed', 'refused'] as const) {
        for (const agent of [undefined, 'lead', 'reviewer', 'nobody']) {
          const found = await allPages(
            (page) => store.workflows({ ...page, conversationId, outcome, agent }),
            5,
          );
          const expected = rows.filter(
            (row) =>
              (conversationId === undefined || row.conversationId === conversationId) &&
              (outcome === undefined || row.outcome === outcome) &&
              (agent === undefined || row.agents.includes(agent)),
          );
          expect(
            found.map(({ id }) => id),
            JSON.stringify({ conversationId, outcome, agent }),
          ).toEqual(expected.map(({ id }) => id));
        }
      }
    }
    const unfinished = await store.unfinishedWorkflows();
    expect(unfinished.map(({ id }) => id)).toEqual(
      rows
        .filter(({ status }) => status === 'running')
        .map(({ id }) => id)
        .reverse(),
    );
  });

  test('an agent and an outcome that come later are found, and those that go are not', async () => {
    const row = workflowRow();
    const found = async (outcome?: Outcome) =>
      (await store.workflows({ agent: 'late comer', outcome, limit: 9 })).items.length;
    await store.commit([], [put('workflow', row)]);
    expect(await found()).toBe(0);
    const update = (change: object): Write => ({ kind: 'update', table: 'workflow', key: row.id, ...change });
    await store.commit([], [update({ union: { agents: 'late comer' } })]);
    expect([await found(), await found('partial')]).toEqual([1, 0]);
    await store.commit([], [update({ set: { outcome: 'partial' } })]);
    expect([await found(), await found('partial')]).toEqual([1, 1]);
    await store.commit([], [update({ set: { outcome: null } })]);
    expect([await found(), await found('partial')]).toEqual([1, 0]);
    await store.commit([], [{ kind: 'delete', table: 'workflow', key: row.id }]);
    expect(await found()).toBe(0);
  });

  test('pages stay whole while workflows are added', async () => {
    const conversationId = newId();
    const rows = Array.from({ length: 30 }, () => workflowRow({ conversationId, agents: ['busy'] }));
    await store.commit(
      [],
      rows.map((row) => put('workflow', row)),
    );
    for (const filter of [{ conversationId }, { agent: 'busy' }]) {
      const read = async (page: Page) => {
        await store.commit([], [put('workflow', workflowRow({ conversationId, agents: ['busy'] }))]);
        return store.workflows({ ...page, ...filter });
      };
      const ids = (await allPages(read, 7)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(rows.every(({ id }) => ids.includes(id))).toBe(true);
    }
  });

  test('runs in order of creation; the end of the events is found from any conversation row', async () => {
    const workflowIds = [newId(), newId()];
    const runs = Array.from({ length: 9 }, (_, n) => runRow({ workflowId: workflowIds[n % 2] ?? '' }));
    await store.commit(
      [],
      [...runs].reverse().map((row) => put('run', row)),
    );
    expect(await store.runsOf(workflowIds)).toEqual(runs);
    const row = conversationRow({ lastSeq: 3 });
    const events = Array.from({ length: 2500 }, (_, index) => ({
      ...{
        type: 'notice',
        seq: index + 1,
        at: minute(0),
        conversationId: row.id,
        workflowId: row.id,
        runId: row.id,
      },
      ...{ parentRunId: null, agent: 'lead', level: 'info', text: '' },
    })) as Parameters<Store['commit']>[0];
    await store.commit(events, [put('conversation', row)]);
    expect(await store.lastSeq(row.id)).toBe(2500);
  });

  test('no list reads a whole table', async () => {
    const statements: { sql: string; values: Record<string, unknown> }[] = [];
    const watched: Database = {
      ...opened.database,
      query: async (sql, values = {}) => {
        statements.push(
          ...sql
            .split(';')
            .filter((one) => one.trim())
            .map((one) => ({ sql: one, values })),
        );
        return opened.database.query(sql, values);
      },
    };
    const reads = storeOn(watched);
    const id = newId();
    await Promise.all([reads.conversations({ limit: 50 }), reads.lastSeq(id), reads.events(id, 1, 200)]);
    await Promise.all([
      reads.unfinishedWorkflows(),
      reads.openApprovals(),
      reads.requestsOf(id),
      reads.entriesOf(id),
    ]);
    await Promise.all([reads.runsOf([id, newId()]), reads.callsOf([id]), reads.approvalsOf([id])]);
    for (const conversationId of [undefined, id]) {
      for (const outcome of [undefined, 'error'] as const) {
        for (const agent of [undefined, 'lead']) {
          await reads.workflows({ limit: 50, conversationId, outcome, agent });
          await reads.workflows({ limit: 50, before: id, conversationId, outcome, agent });
        }
      }
    }
    expect(statements.length).toBeGreaterThan(25);
    for (const { sql, values } of statements) {
      const plan = String((await opened.database.query(`EXPLAIN ${sql}`, values))[0]);
      expect(plan, sql).not.toContain('TableScan');
      expect(plan, sql).not.toContain('Sort');
      expect(plan, sql).toMatch(/IndexScan|RecordIdScan|SourceExpr/);
      // A filter above a limited scan would lose rows.
      if (sql.includes('LIMIT')) expect(plan, sql).not.toContain('Filter');
      if (sql.includes('LIMIT')) expect(plan, sql).toMatch(/IndexScan .*limit: \$count|SourceExpr/);
    }
  });
});
