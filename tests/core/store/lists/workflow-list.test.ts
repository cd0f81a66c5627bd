/** Workflows by every filter and in every order: the same as looking at each of them, page by page, with those that run. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Input, Output } from '#contract/rpc.ts';
import type { WorkflowRow } from '#contract/view.ts';
import { newId } from '#core/base/ids.ts';
import { usageOf } from '../../../support/recording.ts';
import { inFullRun } from '../../../support/samples.ts';
import { Conversation, type Finished } from '../finished.ts';
import { ENGINES } from '../engines.ts';
import { openRuntimeOn, type OpenedRuntime } from '../open-runtime.ts';
import { put, workflowRow } from '../support.ts';

type Query = Input<'workflow.list'>;

const WORKFLOWS = inFullRun ? 60 : 20;
const OUTCOMES = ['completed', 'partial', 'error', 'cancelled'] as const;

interface Made {
  row: WorkflowRow;
  plan: Finished;
  folder: string;
}

function planOf(n: number): Finished {
  const child = {
    agent: n % 3 === 0 ? 'reviewer' : 'writer',
    model: n % 5 === 0 ? 'opus' : 'haiku',
    outcome: n % 7 === 0 ? ('timed_out' as const) : ('completed' as const),
    tools: ['read_file'],
    nanoUsd: (n % 11) * 1_000_000,
    tokens: (n * 37) % 101,
  };
  const refused = { agent: 'nosy', model: 'unused', outcome: 'rejected' as const };
  return {
    lead: { tools: n % 2 === 0 ? ['grep'] : [], tokens: n % 13 },
    children: [...(n % 4 === 0 ? [] : [child]), ...(n % 9 === 0 ? [refused] : [])],
    durationMs: (n * 53) % 97,
    outcome: n % 10 === 9 ? null : (OUTCOMES[n % 4] ?? 'completed'),
  };
}

/** The meaning of the filters, said once more without an index. */
function fits({ row, plan, folder }: Made, filter: Query): boolean {
  const children = plan.children ?? [];
  const ran = children.filter(({ outcome }) => outcome !== 'rejected');
  const { outcome, status, agent, model, tool, from, to, minCostUsd } = filter;
  return (
    (outcome === undefined || row.outcome === outcome || children.some((one) => one.outcome === outcome)) &&
    (status === undefined || row.status === status) &&
    (agent === undefined || agent === 'lead' || children.some((one) => one.agent === agent)) &&
    (model === undefined || model === 'sonnet' || ran.some((one) => one.model === model)) &&
    (tool === undefined ||
      (plan.outcome !== null && (plan.lead?.tools ?? []).includes(tool)) ||
      ran.some(({ tools = [] }) => tools.includes(tool))) &&
    (filter.folder === undefined || folder === filter.folder) &&
    (from === undefined || row.createdAt >= from) &&
    (to === undefined || row.createdAt < to) &&
    (minCostUsd === undefined || row.usage.nanoUsd >= minCostUsd * 1e9)
  );
}

const sum = ({ usage }: WorkflowRow) =>
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
const ORDERS = {
  newest: () => 0,
  cost: ({ usage }: WorkflowRow) => usage.nanoUsd,
  tokens: sum,
  duration: ({ durationMs }: WorkflowRow) => Math.round(durationMs ?? 0),
};

async function allPages(read: (page: Query) => Promise<Output<'workflow.list'>>, limit: number) {
  const items: WorkflowRow[] = [];
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
  let opened: OpenedRuntime;
  let store: OpenedRuntime['store'];
  let request: OpenedRuntime['request'];
  const made: Made[] = [];
  beforeAll(async () => {
    opened = await openRuntimeOn(engine);
    ({ store, request } = opened);
    const added: { id: string; plan: Finished; folder: string }[] = [];
    for (let n = 0; n < WORKFLOWS; n += 1) {
      const folder = n % 6 === 0 ? '/home/ada/parser' : '/home/ada';
      const conversation = await new Conversation(store, { folder }).create();
      const plan = planOf(n);
      added.push({ id: await conversation.add(plan), plan, folder });
    }
    for (const { id: workflowId, ...rest } of added)
      made.unshift({ row: (await request('workflow.get', { workflowId })).workflow, ...rest });
  });
  afterAll(() => opened.close());

  test('lists the workflows that match each filter and combined filters, in each order', async () => {
    const from = made[13]?.row.createdAt ?? '';
    const filters: Query[] = [
      ...[{}, { agent: 'lead' }, { agent: 'reviewer' }, { agent: 'nosy' }, { agent: 'nobody' }, { model: 'opus' }],
      ...[
        { model: 'sonnet' },
        { model: 'unused' },
        { tool: 'grep' },
        { tool: 'read_file' },
        { status: 'error' as const },
      ],
      ...[{ status: 'running' as const }, { outcome: 'timed_out' as const }, { outcome: 'rejected' as const }],
      ...[{ folder: '/home/ada/parser' }, { folder: '/home' }, { from }, { to: from }, { minCostUsd: 0.005 }],
      { from, to: made[6]?.row.createdAt ?? '', agent: 'writer' },
      { agent: 'reviewer', model: 'opus', status: 'completed' },
      { agent: 'writer', tool: 'grep', outcome: 'error', minCostUsd: 0.003, folder: '/home/ada' },
    ];
    for (const [order, sort] of (['newest', 'cost', 'tokens', 'duration'] as const).entries()) {
      for (const [index, filter] of filters.entries()) {
        // Tests each filter in one of the orders. The full run tests all orders.
        if (index > 0 && index % 4 !== order && !inFullRun) continue;
        // Small pages of all of them and of those that several filters leave; what one filter leaves in two or three.
        const limit = Object.keys(filter).length === 1 ? 20 : 11;
        const found = await allPages((page) => request('workflow.list', { ...page, ...filter, sort }), limit);
        const expected = made.filter((one) => fits(one, filter)).map(({ row }) => row);
        expected.sort((a, b) => ORDERS[sort](b) - ORDERS[sort](a));
        expect(
          found.map(({ id }) => id),
          JSON.stringify({ sort, filter }),
        ).toEqual(expected.map(({ id }) => id));
      }
    }
  });

  test('returns the values that workflows can be filtered by, most frequent first', async () => {
    const facets = await request('workflow.facets', {});
    expect(facets.agents).toEqual(['lead', 'writer', 'reviewer', 'nosy']);
    expect(facets.models).toEqual(['sonnet', 'haiku', 'opus']);
    expect(facets.tools).toEqual(['read_file', 'grep']);
    expect(facets.folders).toEqual(['/home/ada', '/home/ada/parser']);
  });

  test('filtered pages have no gaps or repeats while workflows are added', async () => {
    const before = await allPages((page) => request('workflow.list', { ...page, agent: 'writer' }), 100);
    const conversation = await new Conversation(store).create();
    const read = async (page: Query) => {
      await conversation.add({ children: [{ agent: 'writer' }] });
      return request('workflow.list', { ...page, agent: 'writer' });
    };
    const ids = (await allPages(read, 8)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(before.every(({ id }) => ids.includes(id))).toBe(true);
  });

  test('finds a workflow by its current status after it ends, resumes and ends again', async () => {
    const found = async (filter: Query) =>
      (await request('workflow.list', { limit: 9, folder: '/late', ...filter })).items.map(({ id }) => id);
    const late = await new Conversation(store, { folder: '/late' }).create();
    const id = await late.add({ children: [{ agent: 'late comer' }], outcome: 'interrupted' });
    expect(await found({ agent: 'late comer', outcome: 'interrupted', status: 'error' })).toEqual([id]);
    const who = { conversationId: late.row.id, workflowId: id, runId: id, parentRunId: null, agent: 'lead' };
    late.recording.record(who, { type: 'workflow-start', prompt: 'Do it', approve: 'ask', attempt: 2 });
    await late.store();
    expect([await found({ status: 'pending' }), await found({ outcome: 'interrupted' })]).toEqual([[id], [id]]);
    expect(await found({ status: 'error' })).toEqual([]);
    const end = { outcome: 'completed', text: '', error: null, durationMs: 1, usage: usageOf() } as const;
    late.recording.record(who, { type: 'workflow-end', ...end, subAgents: [] });
    await late.store();
    expect([await found({ status: 'completed' }), await found({ status: 'pending' })]).toEqual([[id], []]);
  });

  test('lists a workflow copied by a fork only in its own conversation', async () => {
    const { row: conversation } = await new Conversation(store).create();
    const row = workflowRow({
      conversationId: conversation.id,
      copiedFrom: { conversationId: newId(), workflowId: newId(), runId: newId(), waitedMs: 0 },
    });
    await store.commit([put('workflow', row)]);
    const [newest] = (await request('workflow.list', { limit: 1 })).items;
    expect(newest?.id).not.toBe(row.id);
    const { workflows } = await request('conversation.snapshot', { conversationId: conversation.id });
    expect(workflows.map(({ id }) => id)).toEqual([row.id]);
  });
});
