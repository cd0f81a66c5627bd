/** A fork in which a sub-agent starts again survives a kill while it waits and while it works, and can be tried again. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Harness, startEngine, talkIn, yes } from '../../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { fullTest } from '../../../support/samples.ts';
import { lasting, memoryStore } from '../../../support/stores/pooled.ts';
import { folderWith } from '../../../support/workspace.ts';
import { Gate } from '../../../support/gate.ts';
import { copyStoreFiles } from '../../../support/stores/copy-store.ts';
import { storeAt } from '../../../support/stores/on-disk.ts';

const hunt = () =>
  new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Find it.', tools: ['list_directory'] })])
    .on(LEAD)
    .reply([text('Done.')]);

/** Looks once, and then reports; held before its report where it is asked to. */
function scouting(script: Script, gate?: Gate): Script {
  script
    .on({ ...CHILD, step: 1 })
    .reply([toolUse('list_directory', { path: '.' }, { id: 'call_list' })])
    .on(CHILD)
    .reply([text('# Report\n\nIt is there.')], { times: 1 });
  return gate
    ? script.on(CHILD).reply([text('# Report\n\nIt is there.')], { hold: gate.at(0) })
    : script.on(CHILD).reply([text('# Report\n\nIt is there.')]);
}

/** Has the sub-agent run again once its workflow has ended. Returns the id of the fork. */
async function lookAndFork(engine: Harness): Promise<string> {
  const { runtime, conversationId } = engine;
  const { subAgents, workflowId } = await engine.ask('Look');
  const run = { conversationId, workflowId, runId: subAgents[0]?.runId ?? '' };
  return (await runtime.request('conversation.fork', { ...run, goOn: true })).id;
}

/** A store that stands still while it is copied, as it is on the disk when its process is killed. */
async function copied(path: string): Promise<{ store: Harness['store']; copy: (to: string) => Promise<void> }> {
  const store = await storeAt(path);
  const writing = new Set<Promise<unknown>>();
  let hold: Promise<void> = Promise.resolve();
  const commit: Harness['store']['commit'] = async (items) => {
    await hold;
    const done = store.commit(items);
    writing.add(done);
    return done.finally(() => writing.delete(done));
  };
  const copy = async (to: string): Promise<void> => {
    const held = Promise.withResolvers<void>();
    hold = held.promise;
    await Promise.allSettled(writing);
    await copyStoreFiles(path, to);
    held.resolve();
  };
  return { store: { ...store, commit }, copy };
}

/** Goes on with it to its end; the requests that were made for that. */
async function resumed(store: Harness['store'], conversationId: string): Promise<number> {
  const engine = await startEngine(scouting(hunt()), { store });
  const { workflows } = await engine.runtime.request('conversation.snapshot', { conversationId });
  const [workflow] = workflows;
  expect(workflow).toMatchObject({ outcome: 'interrupted' });
  const workflowId = workflow?.id ?? '';
  const talk = await talkIn(engine.runtime, conversationId);
  await engine.runtime.request('workflow.resume', { workflowId });
  await talk.ended(workflowId);
  talk.leave();
  const end = await engine.runtime.request('workflow.get', { workflowId });
  expect(end.workflow).toMatchObject({ outcome: 'completed', text: 'Done.', subAgentCount: 1 });
  expect(end.approvals).toHaveLength(1);
  expect(end.runs.map(({ kind, outcome }) => [kind, outcome])).toEqual([
    ['lead', 'completed'],
    ['spawn', 'completed'],
  ]);
  const events = await engine.store.events(conversationId, 1, 10_000);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  return engine.model.requests.length;
}

test('a repeated sub-agent that waits for approval is asked about again after the program was closed', async () => {
  const store = await memoryStore();
  const person: typeof yes = (approval, item) =>
    approval.request.conversationId === first ? yes(approval, item) : null;
  const engine = await startEngine(scouting(hunt()), { store: lasting(store), person });
  const first = engine.conversationId;
  const conversationId = await lookAndFork(engine);
  const approvals = async () => (await engine.runtime.request('conversation.snapshot', { conversationId })).approvals;
  await expect.poll(async () => (await approvals()).length).toBe(1);
  await engine.runtime.close();
  // Both of its requests, and one of its lead: nothing before it.
  expect(await resumed(store, conversationId)).toBe(3);
});

fullTest([
  'tests/core/workflows/again/again-durable.test.ts › a repeated sub-agent that waits for approval is asked about again after the program was closed',
  'tests/core/workflows/crash.test.ts › loses and repeats nothing after a few durable events; in the full run after many',
])('after a kill a waiting repeat requires approval again, and a working repeat resumes at its last step', async () => {
  const data = await folderWith();
  const gate = new Gate();
  let questions = 0;
  const person: typeof yes = (approval, item) => (++questions === 2 ? null : yes(approval, item));
  const { store, copy } = await copied(join(data, 'store'));
  const engine = await startEngine(scouting(hunt(), gate), { store, person });
  const { runtime } = engine;
  const conversationId = await lookAndFork(engine);
  const approvals = async () => (await runtime.request('conversation.snapshot', { conversationId })).approvals;
  await expect.poll(async () => (await approvals()).length).toBe(1);
  await copy(join(data, 'waiting'));
  const approvalId = (await approvals())[0]?.request.id ?? '';
  await runtime.request('approval.decide', { approvalId, item: 0, answer: { kind: 'allow' } });
  await gate.reached;
  await copy(join(data, 'working'));

  // Both of its requests, and one of its lead: nothing before it.
  expect(await resumed(await storeAt(join(data, 'waiting')), conversationId)).toBe(3);
  // Its first step was finished: only what was on its way is requested again, and then the lead's answer.
  expect(await resumed(await storeAt(join(data, 'working')), conversationId)).toBe(2);
  gate.open();
});

test('a failed repeat of a sub-agent can be retried, and the lead continues with the new report', async () => {
  const script = hunt()
    .on({ ...CHILD, turn: 1 })
    .reply([text('# Report\n\nFirst.')], { times: 1 })
    .on({ ...CHILD })
    .reply([], { status: 400, error: { type: 'invalid_request_error', message: 'no' }, times: 1 })
    .on(CHILD)
    .reply([text('# Report\n\nSecond.')]);
  const engine = await startEngine(script);
  const conversationId = await lookAndFork(engine);
  const forked = () => engine.runtime.request('conversation.snapshot', { conversationId });
  await expect.poll(async () => (await forked()).workflows[0]?.outcome).toBe('completed');
  const failed = (await forked()).runs.find(({ kind }) => kind === 'spawn');
  expect(failed).toMatchObject({ outcome: 'error' });
  const count = engine.model.requests.length;
  await engine.runtime.request('run.retry', { runId: failed?.id ?? '' });
  await expect.poll(() => engine.model.requests.length).toBe(count + 2);
  await expect.poll(async () => (await forked()).workflows[0]?.outcome).toBe('completed');
  expect((await forked()).runs.find(({ kind }) => kind === 'spawn')).toMatchObject({ text: '# Report\n\nSecond.' });
  expect(JSON.stringify(engine.model.requests.at(-1)?.body.messages)).toContain('Second.');
});
