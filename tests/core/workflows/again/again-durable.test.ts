/** A run again survives a kill while it waits and while it works, brings its chain along, and can be tried again. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { startEngine, talkIn, yes } from '../../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { chainScript, startChain } from '../../../support/flows/chains.ts';
import { done, pair, PAIR, startFlow } from '../../../support/flows/flows.ts';
import { fullTest } from '../../../support/samples.ts';
import { lasting, memoryStore } from '../../../support/stores/pooled.ts';
import { folderWith } from '../../../support/workspace.ts';
import { Gate } from '../../../support/gate.ts';

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

const storeAt = (path: string) => openStore({ url: `rocksdb://${path}` });

/** A store that stands still while it is copied, as it is on the disk when its process is killed. */
async function copied(path: string): Promise<{ store: Store; copy: (to: string) => Promise<void> }> {
  const store = await storeAt(path);
  const writing = new Set<Promise<unknown>>();
  let hold: Promise<void> = Promise.resolve();
  const commit: Store['commit'] = async (events, writes) => {
    await hold;
    const done = store.commit(events, writes);
    writing.add(done);
    return done.finally(() => writing.delete(done));
  };
  const copy = async (to: string): Promise<void> => {
    const held = Promise.withResolvers<void>();
    hold = held.promise;
    await Promise.allSettled(writing);
    await cp(path, to, { recursive: true });
    held.resolve();
  };
  return { store: { ...store, commit }, copy };
}

/** Goes on with it to its end; the requests that were made for that. */
async function resumed(store: Store, conversationId: string): Promise<number> {
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
  expect(end.workflow).toMatchObject({ outcome: 'completed', text: '# Report\n\nIt is there.', subAgentCount: 1 });
  expect(end.approvals).toHaveLength(1);
  expect(end.runs.map(({ kind, outcome }) => [kind, outcome])).toEqual([
    ['lead', 'completed'],
    ['spawn', 'completed'],
  ]);
  const events = await engine.store.events(conversationId, 1, 10_000);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  return engine.model.requests.length;
}

test('closed while it waits for a yes it asks again', async () => {
  const store = await memoryStore();
  const person: typeof yes = (approval, item) =>
    approval.request.conversationId === first ? yes(approval, item) : null;
  const engine = await startEngine(scouting(hunt()), { store: lasting(store), person });
  const first = engine.conversationId;
  const { subAgents } = await engine.ask('Look');
  const { conversationId } = await engine.runtime.request('run.again', { runId: subAgents[0]?.runId ?? '' });
  const approvals = async () => (await engine.runtime.request('conversation.snapshot', { conversationId })).approvals;
  await expect.poll(async () => (await approvals()).length).toBe(1);
  await engine.runtime.close();
  // It had not begun: both of its requests are sent.
  expect(await resumed(store, conversationId)).toBe(2);
});

fullTest([
  'tests/core/workflows/again/again-durable.test.ts › closed while it waits for a yes it asks again',
  'tests/core/workflows/crash.test.ts › after a few durable events; in the full run after many',
])('killed while it waits for a yes it asks again; killed while it works, it goes on from its last step', async () => {
  const data = await folderWith();
  const gate = new Gate();
  let questions = 0;
  const person: typeof yes = (approval, item) => (++questions === 2 ? null : yes(approval, item));
  const { store, copy } = await copied(join(data, 'store'));
  const engine = await startEngine(scouting(hunt(), gate), { store, person });
  const { runtime } = engine;
  const { subAgents } = await engine.ask('Look');
  const runId = subAgents[0]?.runId ?? '';
  const { conversationId } = await runtime.request('run.again', { runId });
  const approvals = async () => (await runtime.request('conversation.snapshot', { conversationId })).approvals;
  await expect.poll(async () => (await approvals()).length).toBe(1);
  await copy(join(data, 'waiting'));
  const approvalId = (await approvals())[0]?.request.id ?? '';
  await runtime.request('approval.decide', { approvalId, item: 0, answer: { kind: 'allow' } });
  await gate.reached;
  await copy(join(data, 'working'));

  // It had not begun: both of its requests are sent.
  expect(await resumed(await storeAt(join(data, 'waiting')), conversationId)).toBe(2);
  // Its first step was finished: only what was on its way is asked again.
  expect(await resumed(await storeAt(join(data, 'working')), conversationId)).toBe(1);
  gate.open();
});

test('a chain comes along: one yes, each of its stages once, and the report of the last', async () => {
  const engine = await startChain(chainScript());
  const { subAgents } = await engine.ask('Go');
  const asked = engine.model.requests.length;
  const made = await engine.runtime.request('run.again', { runId: subAgents[0]?.runId ?? '' });
  const ended = () => engine.runtime.request('workflow.get', { workflowId: made.workflowId });
  await expect.poll(async () => (await ended()).workflow.outcome).toBe('completed');
  const { workflow, runs, approvals } = await ended();
  expect(workflow).toMatchObject({ text: 'Rain is coming.', subAgentCount: 1 });
  expect(approvals).toHaveLength(1);
  expect(runs.map(({ kind, agent, depth }) => [kind, agent, depth])).toEqual([
    ['lead', 'lead', 0],
    ['delegate', 'research', 1],
    ['chain', 'draft', 1],
    ['chain', 'polish', 1],
  ]);
  const bodies = engine.model.requests.map(({ body }) => JSON.stringify(body));
  const before = engine.model.requests.flatMap(({ seen }, at) =>
    at < asked && !seen.tools.includes('spawn_agent') ? [bodies[at]] : [],
  );
  expect(bodies.slice(asked)).toEqual(before);

  // A stage alone is one execution, too.
  const stage = runs.at(-1)?.id ?? '';
  const alone = await engine.runtime.request('run.again', { runId: stage });
  const end = () => engine.runtime.request('workflow.get', { workflowId: alone.workflowId });
  await expect.poll(async () => (await end()).workflow.outcome).toBe('completed');
  expect((await end()).runs.map(({ kind, agent }) => [kind, agent])).toEqual([
    ['lead', 'lead'],
    ['delegate', 'polish'],
  ]);
  expect(engine.model.requests).toHaveLength(asked + 4);
});

test('a coagent comes along, and is one execution of its own, too', async () => {
  const script = pair(['First.', 'Second.'], { First: 'No title.', Second: done('Good.') });
  const engine = await startFlow(script, { flow: { type: 'judge' }, as: 'sub' });
  const { subAgents, workflowId } = await engine.ask('Go');
  const before = await engine.runtime.request('workflow.get', { workflowId });
  const checks = before.runs.filter(({ kind }) => kind === 'coagent');
  expect(checks.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  const asked = engine.model.requests.length;
  const run = async (runId: string) => {
    const made = await engine.runtime.request('run.again', { runId });
    const detail = () => engine.runtime.request('workflow.get', { workflowId: made.workflowId });
    await expect.poll(async () => (await detail()).workflow.outcome).toBe('completed');
    return detail();
  };
  const whole = await run(subAgents[0]?.runId ?? '');
  expect(whole.runs.map(({ kind, agent }) => [kind, agent])).toEqual([
    ['lead', 'lead'],
    ['delegate', PAIR],
    ['coagent', 'checker'],
    ['coagent', 'checker'],
  ]);
  expect(whole.workflow).toMatchObject({ text: 'Second.', subAgentCount: 1 });
  const sent = (from: number, to?: number) =>
    engine.model.requests
      .slice(from, to)
      .flatMap(({ seen, body }) => (seen.tools.includes('delegate_task') ? [] : [JSON.stringify(body.system)]));
  expect(sent(asked)).toEqual(sent(0, asked));
  const alone = await run(checks[0]?.id ?? '');
  expect(alone.runs.map(({ kind, agent }) => [kind, agent])).toEqual([
    ['lead', 'lead'],
    ['delegate', 'checker'],
  ]);
});

test('where it fails it can be tried again, and the new report is the answer', async () => {
  const script = hunt()
    .on({ ...CHILD, turn: 1 })
    .reply([text('# Report\n\nFirst.')], { times: 1 })
    .on({ ...CHILD })
    .reply([], { status: 400, error: { type: 'invalid_request_error', message: 'no' }, times: 1 })
    .on(CHILD)
    .reply([text('# Report\n\nSecond.')]);
  const engine = await startEngine(script);
  const { subAgents } = await engine.ask('Look');
  const made = await engine.runtime.request('run.again', { runId: subAgents[0]?.runId ?? '' });
  const ended = () => engine.runtime.request('workflow.get', { workflowId: made.workflowId });
  await expect.poll(async () => (await ended()).workflow.outcome).toBe('error');
  const failed = (await ended()).runs.find(({ kind }) => kind === 'spawn')?.id ?? '';
  const asked = engine.model.requests.length;
  await engine.runtime.request('run.retry', { runId: failed });
  await expect.poll(async () => (await ended()).workflow.outcome).toBe('completed');
  expect((await ended()).workflow).toMatchObject({ text: '# Report\n\nSecond.', subAgentCount: 1 });
  expect(engine.model.requests).toHaveLength(asked + 1);
});
