/** Totals of days: the same as adding up every row of the list, from what is kept by hour and from what is looked at. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Totals } from '#contract/history/history-methods.ts';
import type { Tally } from '#contract/outcome.ts';
import { estimatedTokensOf, inputTokensOf } from '#domain/tally.ts';
import type { Input } from '#contract/rpc.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { inFullRun } from '../../../support/samples.ts';
import { usageOf } from '../../../support/recording.ts';
import { Conversation } from '../finished.ts';
import { ENGINES } from '../engines.ts';
import { openRuntimeOn, type OpenedRuntime } from '../open-runtime.ts';

const HOUR = 3_600_000;
/** All that the tests store is stored now. */
const hours = (offset = 0) => {
  const start = Math.floor(Date.now() / HOUR) * HOUR + offset;
  const day = (from: number) => ({
    from: new Date(from).toISOString(),
    to: new Date(from + 24 * HOUR).toISOString(),
  });
  return [day(start - 30 * HOUR), day(start - 6 * HOUR)];
};
/** A calendar whose days begin half an hour later, of which nothing is kept. */
const HALF = HOUR / 2;
const BOTH = [0, HALF];

const none: Totals = { count: 0, tokens: 0, estimated: 0, nanoUsd: 0, unpriced: 0 };

function sumOf(rows: readonly { usage: Tally }[]): Totals {
  return rows.reduce(
    (sum, { usage }) => ({
      count: sum.count + 1,
      tokens: sum.tokens + inputTokensOf(usage) + usage.outputTokens,
      estimated: sum.estimated + estimatedTokensOf(usage),
      nanoUsd: sum.nanoUsd + usage.nanoUsd,
      unpriced: sum.unpriced + usage.unpriced,
    }),
    none,
  );
}

function partsOf(workflows: readonly WorkflowRow[], runs: readonly RunRow[], nameOf: (run: RunRow) => string) {
  const listed = new Set(workflows.map(({ id }) => id));
  const used = runs.filter(({ workflowId, usage }) => listed.has(workflowId) && usage.requests > 0);
  return [...Map.groupBy(used, nameOf)]
    .map(([name, own]) => ({
      name,
      ...sumOf(own),
      count: new Set(own.map(({ workflowId }) => workflowId)).size,
    }))
    .sort((a, b) => b.nanoUsd - a.nanoUsd || b.tokens - a.tokens || (a.name < b.name ? -1 : 1));
}

describe.each(ENGINES)('on %s', (engine) => {
  let opened: OpenedRuntime;
  let request: OpenedRuntime['request'];
  let last: Conversation;
  let resumable = '';
  beforeAll(async () => {
    opened = await openRuntimeOn(engine);
    ({ request } = opened);
    for (let n = 0; n < 8; n += 1) {
      last = await new Conversation(opened.store, { folder: n % 2 === 0 ? '/home/ada/parser' : '/home/ada' }).create();
      const child = { agent: n % 3 === 0 ? 'reviewer' : 'writer', model: 'haiku', nanoUsd: n * 1000, tokens: 100 + n };
      const rejected = { agent: 'nosy', model: 'unused', outcome: 'rejected' as const };
      await last.add({ lead: { tokens: n, nanoUsd: 7 }, children: [child, ...(n === 2 ? [rejected] : [])] });
    }
    resumable = await last.add({ children: [{ agent: 'writer', nanoUsd: 5 }], outcome: 'interrupted' });
    await last.add({ children: [{ agent: 'critic', nanoUsd: 3 }], outcome: null });
  });
  afterAll(() => opened.close());

  /** By kept hours and by looking at rows, against adding up the list. */
  async function same(
    filter: Omit<Input<'workflow.days'>, 'days'> = {},
    offsets: readonly number[] = inFullRun ? BOTH : [0],
  ): Promise<Totals> {
    const { items } = await request('workflow.list', { limit: 200, sort: 'newest', ...filter });
    const details = items.map(({ id: workflowId }) => request('workflow.get', { workflowId }));
    const runs = (await Promise.all(details)).flatMap((detail) => detail.runs);
    for (const offset of offsets) {
      const days = hours(offset);
      const agents = await request('workflow.days', { ...filter, days, by: 'agent' });
      expect(agents).toEqual({
        whole: true,
        days: [
          { ...none, parts: [] },
          { ...sumOf(items), parts: partsOf(items, runs, ({ agent }) => agent) },
        ],
      });
      const { days: byModel } = await request('workflow.days', { ...filter, days, by: 'model' });
      expect(byModel[1]?.parts).toEqual(partsOf(items, runs, ({ envelope }) => envelope.model));
      expect((await request('workflow.days', { ...filter, days })).days[1]).toEqual(sumOf(items));
    }
    return sumOf(items);
  }

  test('daily totals equal the sum of the listed workflows for any filter', async () => {
    expect(await same({}, BOTH)).toMatchObject({ count: 10 });
    expect(await same({ agent: 'writer' })).toMatchObject({ count: 6 });
    expect(await same({ folder: '/home/ada', agent: 'writer' }, BOTH)).toMatchObject({ count: 4 });
    expect(await same({ status: 'running' })).toMatchObject({ count: 1 });
    expect(await same({ minCostUsd: 0.000004 })).toMatchObject({ count: 4 });
    expect(await same({ agent: 'nobody' })).toEqual(none);
    const { items } = await request('workflow.list', { limit: 9 });
    await same({ from: items[4]?.createdAt ?? '', to: items[2]?.createdAt ?? '' });
  });

  test('daily totals of sub-agents equal the sum of their runs', async () => {
    const { items } = await request('execution.list', { limit: 200 });
    const runs = await Promise.all(items.map(({ id: runId }) => request('run.get', { runId })));
    for (const offset of BOTH) {
      const { days, whole } = await request('execution.days', { days: hours(offset) });
      expect([whole, days]).toEqual([true, [none, sumOf(runs)]]);
      const { days: rejected } = await request('execution.days', { days: hours(offset), agent: 'nosy' });
      expect(rejected[1]).toMatchObject({ count: 1, tokens: 0 });
    }
  });

  test('daily totals count a resumed workflow once, with its current state', async () => {
    const who = {
      conversationId: last.row.id,
      workflowId: resumable,
      runId: resumable,
      parentRunId: null,
      agent: 'lead',
    };
    const before = await same();
    last.recording.record(who, { type: 'workflow-start', prompt: 'Do it', approve: 'ask', attempt: 2 });
    await last.store();
    expect(await same()).toEqual(before);
    const end = { outcome: 'completed', text: '', error: null, durationMs: 1, usage: usageOf() } as const;
    last.recording.record(who, { type: 'workflow-end', ...end, subAgents: [] });
    await last.store();
    expect(await same()).toEqual(before);
    expect(await same({ status: 'running' })).toMatchObject({ count: 1 });
  });

  test('daily totals exclude conversations in the trash until they are restored', async () => {
    const before = await same();
    const gone = await new Conversation(opened.store).create();
    const conversationId = gone.row.id;
    await gone.add({ children: [{ agent: 'trashy', nanoUsd: 9, tokens: 9 }] });
    const after = await same();
    expect(after.count).toBe(before.count + 1);
    await request('conversation.delete', { conversationId });
    expect(await same()).toEqual(before);
    await request('conversation.restore', { conversationId });
    expect(await same()).toEqual(after);
    await request('conversation.delete', { conversationId });
    await request('conversation.purge', { conversationId });
    await opened.store.settled();
    if (inFullRun) expect(await same()).toEqual(before);
    const [left] = (await opened.database.query('SELECT VALUE record::id(id)[2] FROM usage_hour')) as [string[]];
    expect(left).not.toContain('trashy');
  });
});
