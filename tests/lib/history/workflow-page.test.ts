// The history reads the entries of a run that went on: only they tell when each of its attempts began.
import { expect, it } from 'vitest';
import { WorkflowPage } from '#lib/history/workflow-page.svelte.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import { Rows } from '../support/rows.ts';
import { Recording } from '../../support/recording.ts';

it('reads the entries of retried runs once, and none of runs with one attempt', async () => {
  const story = new Recording();
  const { lead, workflowId } = story.startWorkflow('Look at it');
  const child = lead.child('inspector');
  child.queue('spawn', 'Look.', 'toolu_1');
  child.start('Look.');
  child.end('error');
  child.again('Look.', 2, 'retried');
  child.end('completed');
  story.endWorkflow(lead, 'completed', 'Done.');
  const rows = new Rows();
  for (const event of story.events) rows.take(event);
  const { conversation, workflows, runs, calls, approvals, entries } = rows.snapshot();
  const [workflow] = workflows;
  if (!workflow) throw new Error('The story has a workflow');
  const connection = new FakeConnection()
    .on('workflow.get', () => ({ conversation, workflow, runs, calls, approvals, requests: [] }))
    .on('run.entries', ({ runId }) => entries[runId] ?? []);
  const page = new WorkflowPage(connection, workflowId);
  await settled();
  await page.load();
  const asked = connection.calls.filter(({ method }) => method === 'run.entries');
  expect(asked.map(({ input }) => input)).toEqual([{ runId: child.runId }]);
  expect(page.view?.entries.get(child.runId)?.map(({ kind }) => kind)).toEqual(['system']);
  page.close();
});

it('lists sub-agents copied from the origin of a fork, and loads their calls when one is opened', async () => {
  const story = new Recording();
  const { lead, workflowId } = story.startWorkflow('Look at it');
  const child = lead.child('inspector');
  child.queue('spawn', 'Look.', 'toolu_1');
  child.start('Look.');
  child.toolStart('toolu_2', 'read_file');
  child.toolEnd('toolu_2', 'read_file', 'completed');
  child.end('completed');
  story.endWorkflow(lead, 'completed', 'Done.');
  const rows = new Rows();
  for (const event of story.events) rows.take(event);
  const { conversation, workflows, runs, calls, approvals, entries } = rows.snapshot();
  const [workflow] = workflows;
  if (!workflow) throw new Error('The story has a workflow');
  const isChild = (run: { id: string }) => run.id === child.runId;
  const copiedFrom = { conversationId: 'origin', workflowId: 'first', runId: child.runId };
  const elsewhere = runs.filter(isChild).map((run) => ({ ...run, copiedFrom }));
  const connection = new FakeConnection()
    .on('workflow.get', () => ({
      conversation,
      workflow,
      runs: runs.filter((run) => !isChild(run)),
      calls: [],
      approvals,
      requests: [],
      elsewhere,
    }))
    .on('run.entries', ({ runId }) => entries[runId] ?? [])
    .on('run.calls', () => calls);
  const page = new WorkflowPage(connection, workflowId);
  await settled();
  expect(page.view?.runs.map(({ id }) => id)).toEqual([lead.runId, child.runId]);
  await page.loadEntries(child.runId);
  await page.load();
  expect(page.view?.calls.map(({ toolCallId }) => toolCallId)).toEqual(['toolu_2']);
  page.close();
});

it('reloads after an undo of its changes, and closes its subscription', async () => {
  const story = new Recording();
  const { lead, workflowId } = story.startWorkflow('Write it');
  story.endWorkflow(lead, 'completed', 'Done.');
  const rows = new Rows();
  for (const event of story.events) rows.take(event);
  const { conversation, workflows, runs, calls, approvals } = rows.snapshot();
  const [workflow] = workflows;
  if (!workflow) throw new Error('The story has a workflow');
  const connection = new FakeConnection().on('workflow.get', () => ({
    conversation,
    workflow,
    runs,
    calls,
    approvals,
    requests: [],
  }));
  const page = new WorkflowPage(connection, workflowId);
  await settled();
  const read = () => connection.calls.filter(({ method }) => method === 'workflow.get').length;
  lead.say({ type: 'change-undo', toolCallId: 'toolu_1', path: 'a.txt', undone: true });
  const undone = story.events.at(-1);
  if (!undone) throw new Error('The story has an undo');
  connection.send('conversation', { ...undone, workflowId: 'another' });
  expect(read()).toBe(1);
  connection.send('conversation', undone);
  await settled();
  expect(read()).toBe(2);
  expect(connection.subscriptions).toHaveLength(1);
  page.close();
  await settled();
  expect(connection.subscriptions).toEqual([]);
});
