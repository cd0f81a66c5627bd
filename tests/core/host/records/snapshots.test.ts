/** Pages of a conversation: the newest workflows first, then larger ones where the workflows are short, and nothing between. */
import { expect, test } from 'vitest';
import type { WorkflowRow } from '#contract/view.ts';
import { Seeder } from '../../../bench/seed.ts';
import { type Harness, startEngine } from '../../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text } from '../../../support/fake-model/script.ts';
import { eventItems } from '../../../support/commit-items.ts';
import { recordedTrouble, recordedWorkflow } from '../../../support/events.ts';
import { conversationId, conversationRow } from '../../../support/recording.ts';
import { memoryStore } from '../../../support/stores/pooled.ts';

const COUNT = 70;

/** Page by page, with the prompts of each in order. */
async function pagesOf(runtime: Harness['runtime'], conversationId: string): Promise<string[][]> {
  const pages: string[][] = [];
  let page = await runtime.request('conversation.snapshot', { conversationId });
  for (;;) {
    const { workflows, runs, more } = page;
    pages.push(workflows.map(({ prompt }) => prompt));
    expect(runs.map(({ workflowId }) => workflowId).sort()).toEqual(workflows.map(({ id }) => id).sort());
    if (!more) return pages;
    page = await runtime.request('conversation.earlier', { conversationId, before: workflows[0]!.id });
  }
}

test('a snapshot has the entries of a working sub-agent, and those of a completed one only in its run', async () => {
  const script = new Script();
  const calls = ['quick', 'slow'].map((name) => spawn({ name, prompt: `Look at part ${name}` }));
  script.on({ ...LEAD, step: 1 }).reply(calls);
  script.on({ ...CHILD, prompt: /part quick/ }).reply([text('Done.')]);
  script.on({ ...CHILD, prompt: /part slow/ }).reply([text('I begin.')], { hangAfter: 1 });
  const engine = await startEngine(script);
  const { workflowId } = await engine.send('Look');
  await engine.event('run-end', ({ agent }) => agent === 'quick');
  await engine.event('message-end', ({ agent }) => agent === 'slow');
  const { runs, entries } = await engine.runtime.request('conversation.snapshot', {
    conversationId: engine.conversationId,
  });
  const agents = runs.filter(({ id }) => id in entries).map(({ agent }) => agent);
  expect(agents.sort()).toEqual(['lead', 'slow']);
  await engine.runtime.request('workflow.stop', { workflowId });
  await engine.ended(workflowId);
});

test('earlier pages of a conversation are larger if workflows are short, and no workflow is left out', async () => {
  const all = Array.from({ length: COUNT }, (_, n) => `Question ${n}: what does this part do?`);
  const store = await memoryStore();
  const seededId = await new Seeder(store, '/home/ada').workflows(COUNT, COUNT);
  let requests = 1;
  const counted = (row: WorkflowRow): WorkflowRow => ({ ...row, usage: { ...row.usage, requests } });
  const workflows: Harness['store']['workflows'] = async (query) => {
    const { items, ...page } = await store.workflows(query);
    return { ...page, items: items.map(counted) };
  };
  const { runtime } = await startEngine(new Script(), { store: { ...store, workflows } });
  for (const [each, sizes] of [
    [1, [20, 50]],
    [2, [20, 30, 20]],
    [10, [20, 20, 20, 10]],
  ] as const) {
    requests = each;
    const pages = await pagesOf(runtime, seededId);
    expect(pages.map(({ length }) => length)).toEqual(sizes);
    expect(pages.toReversed().flat()).toEqual(all);
  }
});

test('the details of a workflow include the grants that were given in it, and leave the field out without grants', async () => {
  const details = [recordedTrouble(), recordedWorkflow()].map(async ({ durable }) => {
    const store = await memoryStore();
    await store.commit([
      { table: 'conversation', key: conversationId, row: conversationRow() },
      ...eventItems(durable),
    ]);
    const { runtime } = await startEngine(new Script(), { store });
    return runtime.request('workflow.get', { workflowId: durable[0]!.workflowId });
  });
  const [withGrant, withoutGrant] = await Promise.all(details);
  expect(withGrant?.grants).toMatchObject([{ tool: 'write_file', pattern: 'docs/*.md' }]);
  expect(withoutGrant).not.toHaveProperty('grants');
});
