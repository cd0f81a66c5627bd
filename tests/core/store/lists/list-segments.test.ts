/** Segments of the lists: a list reads the same from segments as from the rows that are in none. */
import { beforeAll, afterAll, expect, test } from 'vitest';
import { phrase } from '#contract/approvals/phrases.ts';
import { writeListSegment } from '#core/store/lists/list-segments.ts';
import type { ExecutionQuery, Paged, Store, WorkflowQuery } from '#core/store/store.ts';
import { usageOf } from '../../../support/recording.ts';
import { Conversation, type Finished } from '../finished.ts';
import { type DamagedRows, withDamagedRows } from '../damaged-rows.ts';
import { openOn, type Opened, openStoreOn } from '../support.ts';

const WORKFLOWS = 22;
/** Workflows of a segment of the tests. */
const SMALL = 5;
const HOUR = 3_600_000;

let opened: Opened;
let store: Store;
const conversations: Conversation[] = [];

function planOf(n: number): Finished {
  const child = { agent: n % 3 === 0 ? 'reviewer' : 'writer', nanoUsd: (n % 4) * 1_000_000, durationMs: n % 5 };
  const children = n % 4 === 0 ? [] : [child, { ...child, agent: 'helper' }];
  return { lead: { tools: n % 2 === 0 ? ['grep'] : [], tokens: n % 6 }, children, durationMs: n % 7 };
}

beforeAll(async () => {
  opened = await openOn('mem');
  store = opened.store;
  for (let n = 0; n < WORKFLOWS; n += 1) {
    if (n % 4 === 0) conversations.push(await new Conversation(store, { folder: `/home/${n % 3}` }).create());
    await conversations.at(-1)?.add(planOf(n));
  }
  await store.settled();
});
afterAll(() => opened.close());

async function readAll<T extends { id: string }>(
  read: (page: { before: string | undefined; limit: number }) => Promise<Paged<T>>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let before: string | undefined, next: string | null = ''; next !== null; before = next) {
    const page = await read({ before, limit: 11 });
    ids.push(...page.items.map(({ id }) => id));
    next = page.next;
    if (next === null) break;
  }
  return ids;
}

/** Every list in every order, with the totals of the day. */
async function lists(source = store): Promise<Record<string, unknown>> {
  const filters: Partial<WorkflowQuery>[] = [
    ...[{}, { agent: 'writer' }, { agent: 'lead' }, { tool: 'grep', folder: '/home/1' }, { minCostUsd: 0.004 }],
    ...[{ agent: 'nobody' }, { agent: 'reviewer', tool: 'grep', status: 'completed' as const }],
  ];
  const ofExecutions: Partial<ExecutionQuery>[] = [{}, { agent: 'helper' }, { agent: 'writer', minCostUsd: 0.002 }];
  const found: Record<string, unknown> = {};
  const from = Math.floor(Date.now() / HOUR) * HOUR - 20 * HOUR;
  const days = [{ from: new Date(from).toISOString(), to: new Date(from + 24 * HOUR).toISOString() }];
  for (const filter of filters) {
    for (const sort of ['newest', 'cost', 'tokens', 'duration'] as const)
      found[JSON.stringify({ sort, filter })] = await readAll((page) => source.workflows({ ...page, ...filter, sort }));
    found[`days ${JSON.stringify(filter)}`] = await source.workflowDays({ ...filter, days, by: 'agent' });
  }
  for (const filter of ofExecutions) {
    for (const sort of ['newest', 'cost', 'duration'] as const)
      found[`executions ${JSON.stringify({ sort, filter })}`] = await readAll((page) =>
        source.executions({ ...page, ...filter, sort }),
      );
    found[`execution days ${JSON.stringify(filter)}`] = await source.executionDays({ ...filter, days });
  }
  return found;
}

const segment = async (workflows = SMALL) => {
  await store.settled();
  while (await writeListSegment(opened.database, workflows));
};
const places = async () =>
  ((await opened.database.query('SELECT VALUE place FROM list_segment')) as [string[]])[0].length;

test('lists, pages and totals do not change when rows move into segments', async () => {
  const before = await lists();
  expect(await places()).toBe(0);
  await segment();
  expect(await places()).toBeGreaterThan(4);
  expect(await lists()).toEqual(before);
});

test('a conversation in the trash leaves its segments, and returns when it is restored', async () => {
  await segment();
  const before = await lists();
  const id = conversations[1]?.row.id ?? '';
  await store.trash(id, '2026-03-02T00:00:00.000Z');
  const without = await lists();
  expect(without).not.toEqual(before);
  await segment();
  expect(await lists()).toEqual(without);
  await store.restore(id);
  expect(await lists()).toEqual(before);
  await segment();
  expect(await lists()).toEqual(before);
});

test('a resumed workflow leaves its segment', async () => {
  const conversation = await new Conversation(store, { folder: '/late' }).create();
  const id = await conversation.add({ outcome: 'interrupted' });
  await segment(1);
  const found = async (query: Partial<WorkflowQuery>) =>
    (await store.workflows({ limit: 9, folder: '/late', ...query })).items.map((workflow) => workflow.id);
  expect(await found({ status: 'error', sort: 'cost' })).toEqual([id]);
  const who = { conversationId: conversation.row.id, workflowId: id, runId: id, parentRunId: null, agent: 'lead' };
  conversation.recording.record(who, { type: 'workflow-start', prompt: 'Do it', approve: 'ask', attempt: 2 });
  await conversation.store();
  expect([await found({ status: 'error' }), await found({ sort: 'cost' })]).toEqual([[], [id]]);
  const end = { outcome: 'completed', text: '', error: null, durationMs: 1, usage: usageOf() } as const;
  conversation.recording.record(who, { type: 'workflow-end', ...end, subAgents: [] });
  await conversation.store();
  expect([await found({ status: 'error' }), await found({ status: 'completed' })]).toEqual([[], [id]]);
  expect(await found({ sort: 'cost' })).toEqual([id]);
});

test('segments contain no data of a purged conversation', async () => {
  const terms = async () =>
    ((await opened.database.query('SELECT VALUE term FROM list_term')) as [string[]])[0].toSorted();
  await segment(1);
  const before = [await places(), await terms()];
  const conversation = await new Conversation(store, { folder: '/secret' }).create();
  await conversation.addAll(Array.from({ length: SMALL }, () => ({ children: [{ agent: 'trashy' }] })));
  await segment();
  expect(await terms()).toContain('folder:/secret');
  await store.trash(conversation.row.id, '2026-03-02T00:00:00.000Z');
  await store.purge(conversation.row.id);
  await store.settled();
  expect(await terms()).not.toContain('folder:/secret');
  expect([await places(), await terms()]).toEqual(before);
});

test.each(['list_column', 'list_term', 'list_segment'])(
  'lists and totals are complete even if rows of %s are unreadable',
  async (table) => {
    await segment();
    const before = await lists();
    const damaged = openStoreOn(withDamagedRows(opened.database, () => ({ table, record: null })));
    await damaged.settled();
    expect(await lists(damaged)).toEqual(before);
    expect(damaged.notices.current).toBeNull();
  },
);

test('a list that skips an unreadable row shows a notice', async () => {
  await segment();
  const id = (await store.workflows({ limit: 1, sort: 'cost' })).items[0]?.id ?? '';
  let damage: DamagedRows | null = null;
  const damaged = openStoreOn(withDamagedRows(opened.database, () => damage));
  const read = () => readAll((page) => damaged.workflows({ ...page, sort: 'cost' }));
  const before = await read();
  expect(before).toContain(id);
  damage = { table: 'workflow_index', record: String(opened.database.record('workflow_index', id)) };
  expect(await read()).toEqual(before.filter((one) => one !== id));
  expect(damaged.notices.current?.says).toEqual([phrase('rows_skipped')]);
});
