/** Pages of a conversation: the newest workflows first, then larger ones where the workflows are short, and nothing between. */
import { expect, test } from 'vitest';
import type { WorkflowRow } from '#contract/view.ts';
import { EventLog } from '#core/store/log/event-log.ts';
import { OpenMessages } from '#core/store/log/open-messages.ts';
import { snapshot, workflowDetail } from '#core/host/records/snapshots.ts';
import type { Store } from '#core/store/store.ts';
import { Seeder } from '../../../bench/seed.ts';
import { startEngine } from '../../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text } from '../../../support/fake-model/script.ts';
import { eventItems } from '../../../support/commit-items.ts';
import { recordedTrouble, recordedWorkflow } from '../../../support/events.ts';
import { conversationId, conversationRow } from '../../../support/recording.ts';
import { openOn } from '../../store/support.ts';

const COUNT = 70;

async function seeded(): Promise<{ store: Store; conversationId: string }> {
  const { store } = await openOn('mem');
  const conversationId = await new Seeder(store, '/home/ada').workflows(COUNT, COUNT);
  await store.settled();
  return { store, conversationId };
}

/** Page by page, with the prompts of each in order; `requests`: what each workflow had. */
async function pagesOf({ store, conversationId }: Awaited<ReturnType<typeof seeded>>, requests: number) {
  const counted = (row: WorkflowRow): WorkflowRow => ({ ...row, usage: { ...row.usage, requests } });
  const reads = new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      if (key !== 'workflows') return value.bind(target) as unknown;
      return async (query: Parameters<Store['workflows']>[0]) => {
        const { items, ...page } = await target.workflows(query);
        return { ...page, items: items.map(counted) };
      };
    },
  });
  const open = new OpenMessages(
    new EventLog(store, (error) => {
      throw error;
    }),
  );
  const pages: string[][] = [];
  let before: string | undefined;
  for (let more = true; more;) {
    const page = await snapshot(reads, open, conversationId, 0, before);
    pages.push(page.workflows.map(({ prompt }) => prompt));
    expect(page.runs.map(({ workflowId }) => workflowId).sort()).toEqual(page.workflows.map(({ id }) => id).sort());
    ({ more } = page);
    before = page.workflows[0]?.id;
  }
  return pages;
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
  const conversation = await seeded();
  for (const [requests, sizes] of [
    [1, [20, 50]],
    [2, [20, 30, 20]],
    [10, [20, 20, 20, 10]],
  ] as const) {
    const pages = await pagesOf(conversation, requests);
    expect(pages.map(({ length }) => length)).toEqual(sizes);
    expect(pages.toReversed().flat()).toEqual(all);
  }
});

test('the details of a workflow include the grants that were given in it, and leave the field out without grants', async () => {
  const details = [recordedTrouble(), recordedWorkflow()].map(async ({ durable }) => {
    const opened = await openOn('mem');
    const { store } = opened;
    await store.commit([
      { table: 'conversation', key: conversationId, row: conversationRow() },
      ...eventItems(durable),
    ]);
    const workflow = await store.workflow(durable[0]!.workflowId);
    const detail = await workflowDetail(store, workflow!);
    await opened.close();
    return detail;
  });
  const [withGrant, withoutGrant] = await Promise.all(details);
  expect(withGrant?.grants).toMatchObject([{ tool: 'write_file', pattern: 'docs/*.md' }]);
  expect(withoutGrant).not.toHaveProperty('grants');
});
