/** Executions by every filter and in every order: the same as looking at each of them, page by page, with those that run. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SubAgentExecution } from '#contract/execution.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { Input } from '#contract/rpc.ts';
import type { RunRow } from '#contract/view.ts';
import { type Agent, Conversation, type Finished } from '../finished.ts';
import { fullTest, inFullRun } from '../../../support/samples.ts';
import { ENGINES } from '../engines.ts';
import { openRuntimeOn, type OpenedRuntime } from '../open-runtime.ts';

type Query = Input<'execution.list'>;
type Request = OpenedRuntime['request'];

const CONVERSATIONS = inFullRun ? 40 : 12;
const SORTS = ['newest', 'cost', 'duration'] as const;
const OUTCOMES: Outcome[] = ['completed', 'partial', 'error', 'cancelled', 'rejected'];

function childrenOf(n: number): Agent[] {
  return Array.from({ length: n % 4 }, (_, child) => ({
    agent: (n + child) % 3 === 0 ? 'reviewer' : 'writer',
    model: (n + child) % 5 === 0 ? 'opus' : 'haiku',
    kind: (n + child) % 6 === 1 ? ('coagent' as const) : ('spawn' as const),
    outcome: OUTCOMES[(n + child) % OUTCOMES.length] ?? 'completed',
    nanoUsd: ((n * 7 + child) % 11) * 1_000_000,
    durationMs: (n * 53 + child) % 17,
  }));
}
const planOf = (n: number): Finished => ({ children: childrenOf(n), outcome: n % 10 === 9 ? null : 'completed' });

/** All pages of a list; `between` runs before each. */
async function allPages(request: Request, query: Query, limit: number, between = async () => {}) {
  const items: SubAgentExecution[] = [];
  let before: string | undefined;
  do {
    await between();
    const page = await request('execution.list', { ...query, limit, before });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    // Without the fields that only lists add to an execution.
    items.push(...page.items.map(({ worked_ms: _, waited_ms: __, serves: ___, ...row }) => row));
    before = page.next ?? undefined;
  } while (before !== undefined);
  return items;
}
interface ExportedWorkflow {
  runs: RunRow[];
  executions: SubAgentExecution[];
}

const timeOf = ({ duration_ms: ms = 0 }: SubAgentExecution) => ms;
const ids = (items: readonly SubAgentExecution[]) => items.map(({ id }) => id);

describe.each(ENGINES)('on %s', (engine) => {
  let opened: OpenedRuntime;
  let store: OpenedRuntime['store'];
  let request: Request;
  const conversations: Conversation[] = [];
  /** All of them, newest first, with what their requests cost. */
  const made: { row: SubAgentExecution; nanoUsd: number }[] = [];
  beforeAll(async () => {
    opened = await openRuntimeOn(engine);
    ({ store, request } = opened);
    for (let n = 0; n < CONVERSATIONS; n += 1) {
      const conversation = await new Conversation(store).create();
      conversations.push(conversation);
      await conversation.add(planOf(n));
    }
    for (const { row } of conversations) {
      const exported = await request('conversation.export', { conversationId: row.id, format: 'json' });
      const { workflows } = JSON.parse(exported.text) as { workflows: ExportedWorkflow[] };
      for (const { runs, executions } of workflows)
        for (const execution of executions) {
          const run = runs.find(({ id }) => id === execution.sub_agent_id);
          made.unshift({ row: execution, nanoUsd: run!.usage.nanoUsd });
        }
    }
  });
  afterAll(() => opened.close());

  test('lists the executions that match each filter and combined filters, in each order', async () => {
    expect(made).toHaveLength(CONVERSATIONS * 1.5);
    const from = made[9]?.row.created_at ?? '';
    const filters: Query[] = [
      ...[{}, { agent: 'reviewer' }, { agent: 'lead' }, { model: 'opus' }, { model: 'unused' }, { from }, { to: from }],
      ...[
        { kind: 'spawn' as const },
        { kind: 'coagent' as const },
        { kind: 'delegate' as const },
        { status: 'completed' as const },
      ],
      ...[{ status: 'cancelled' as const }, { status: 'running' as const }, { minCostUsd: 0.005 }],
      { agent: 'writer', model: 'haiku', status: 'error', kind: 'spawn' },
    ];
    for (const [order, sort] of SORTS.entries()) {
      for (const [index, filter] of filters.entries()) {
        // Tests each filter in one of the orders. The full run tests all orders.
        if (index > 0 && index % SORTS.length !== order && !inFullRun) continue;
        const { agent, kind, status, model, minCostUsd = 0 } = filter;
        const expected = made.filter(
          ({ row, nanoUsd }) =>
            (agent ?? row.sub_agent_name) === row.sub_agent_name &&
            (kind ?? row.kind) === row.kind &&
            (status ?? row.status) === row.status &&
            (model ?? row.model) === row.model &&
            (filter.from === undefined || row.created_at >= filter.from) &&
            (filter.to === undefined || row.created_at < filter.to) &&
            nanoUsd >= minCostUsd * 1e9,
        );
        if (sort === 'cost') expected.sort((a, b) => b.nanoUsd - a.nanoUsd);
        if (sort === 'duration') expected.sort((a, b) => timeOf(b.row) - timeOf(a.row));
        // Small pages of all of them; what a filter leaves in two or three.
        const limit = Object.keys(filter).length === 0 ? 9 : 20;
        const found = await allPages(request, { ...filter, sort }, limit);
        expect(found, JSON.stringify({ sort, filter })).toEqual(expected.map(({ row }) => row));
      }
    }
  });

  test('returns the agents and models that executions can be filtered by', async () => {
    expect(await request('execution.facets', {})).toEqual({
      agents: ['writer', 'reviewer'],
      models: ['haiku', 'opus'],
    });
  });

  test('pages have no gaps or repeats while new executions are added', async () => {
    const before = ids(await allPages(request, {}, 100));
    const [conversation] = conversations;
    const read = ids(
      await allPages(request, {}, 9, async () => {
        await conversation?.add({ children: [{ agent: 'late' }], outcome: null });
      }),
    );
    expect(new Set(read).size).toBe(read.length);
    expect(read.filter((id) => before.includes(id))).toEqual(before);
  });

  test('lists a restarted execution once, with its current status', async () => {
    const conversation = await new Conversation(store).create();
    const workflowId = await conversation.add({ children: [{ agent: 'again', outcome: 'error', nanoUsd: 9 }] });
    const own = { agent: 'again', limit: 9 };
    expect((await request('execution.list', { ...own, status: 'error' })).items).toMatchObject([
      { nano_usd: 4_900_000 },
    ]);
    const [lead, run] = (await request('workflow.get', { workflowId })).runs;
    if (!lead || !run) throw new Error('no runs');
    const who = { conversationId: run.conversationId, workflowId, runId: lead.id, parentRunId: null, agent: 'lead' };
    const its = { ...who, runId: run.id, parentRunId: lead.id, agent: run.agent };
    const { envelope, envelopeHash } = run;
    conversation.recording.record(who, { type: 'workflow-start', prompt: '', approve: 'ask', attempt: 2 });
    conversation.recording.record(its, { type: 'run-start', attempt: 2, envelope, envelopeHash, queuedMs: 1 });
    await conversation.store();
    for (const sort of SORTS) {
      const { items } = await request('execution.list', { ...own, sort });
      expect(items.map(({ id, status }) => [id, status])).toEqual([[run.id, 'running']]);
      expect(items[0]).not.toHaveProperty('nano_usd');
    }
    expect((await request('execution.list', { ...own, status: 'error' })).items).toEqual([]);
  });
});

// In all other tests those of a conversation are looked at beside all else of it: see the trash.
fullTest(
  'tests/core/store/trash/trash.test.ts › hides a deleted conversation from all lists, and restores it unchanged',
)('hides executions of a deleted conversation until the conversation is restored', async () => {
  const opened = await openRuntimeOn('mem');
  const { store, request } = opened;
  const conversation = await new Conversation(store).create();
  const conversationId = conversation.row.id;
  const seen = async () => ({
    all: (await allPages(request, { agent: 'trashy' }, 2)).length,
    costly: (await request('execution.list', { limit: 9, sort: 'cost', model: 'rubbish' })).items.length,
    facets: (await request('execution.facets', {})).agents.includes('trashy'),
  });
  const child = { agent: 'trashy', model: 'rubbish' };
  await conversation.add({ children: [child, child] });
  await conversation.add({ children: [child] });
  const there = { all: 3, costly: 3, facets: true };
  const gone = { all: 0, costly: 0, facets: false };
  expect(await seen()).toEqual(there);
  await request('conversation.delete', { conversationId });
  expect(await seen()).toEqual(gone);
  await request('conversation.restore', { conversationId });
  expect(await seen()).toEqual(there);
  // Deleted before they were indexed.
  await conversation.add({ children: [child] });
  await request('conversation.delete', { conversationId });
  expect(await seen()).toEqual(gone);
  await request('conversation.restore', { conversationId });
  expect(await seen()).toEqual({ all: 4, costly: 4, facets: true });
  await request('conversation.delete', { conversationId });
  await request('conversation.purge', { conversationId });
  await store.settled();
  expect(await seen()).toEqual(gone);
  const sql = "SELECT VALUE id FROM workflow_index WHERE string::contains(entries, 'execution.agent:trashy')";
  expect(await opened.database.query(sql)).toEqual([[]]);
  await opened.close();
});
