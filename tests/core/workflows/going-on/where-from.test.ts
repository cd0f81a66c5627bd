/** From which steps a fork may go on, and from which not: those of sub-agents, of forks, of what was stopped, and of what is gone. */
import { expect, test } from 'vitest';
import { CHILD, LEAD, spawn, threeChildren } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { verdict } from '../../../support/fake-model/reflecting.ts';
import { asked, goOn, lastCall, snapshotOf, told } from './going-on.ts';
import { childOf, reviewers, startReflecting } from '../../../support/reflecting.ts';
import { fullTest } from '../../../support/samples.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const { start } = sharedEngine();

test('from a step of a sub-agent: that one alone is asked about, and goes on from there', async () => {
  const { questions, person } = asked();
  const engine = await start(threeChildren(), { person });
  const { workflowId } = await engine.ask('Look at all of it');
  const first = await told(engine, workflowId);
  const beta = first.children.find(({ agent }) => agent === 'beta')!;
  questions.length = 0;
  const fork = await goOn(engine, { workflowId, runId: beta.id, entry: 2 });
  expect(questions.map(({ request: { subject } }) => subject)).toMatchObject([
    { items: [{ envelope: { agent: 'beta' }, hash: beta.envelopeHash }] },
  ]);
  expect(fork.children.map(({ agent, cached }) => [agent, cached?.runId])).toEqual([
    ['alpha', first.children[0]!.id],
    ['beta', undefined],
    ['gamma', first.children[2]!.id],
  ]);
  const own = await engine.runtime.request('run.entries', { runId: fork.children[1]!.id });
  expect(own.map(({ kind, cached }) => [kind, cached?.runId])).toEqual([
    ['user', undefined],
    ['assistant', beta.id],
    ['tool', beta.id],
    ['assistant', undefined],
  ]);
  // Its report is asked for, and what its lead makes of it.
  expect(fork.asks).toHaveLength(2);
  expect(fork.conversation.usage.requests).toBe(2);
});

test('what stands between two steps is taken with them: a review, and what the agent was told of it', async () => {
  const engine = await startReflecting({
    answers: ['It is broken.', { blocks: [toolUse('list_directory', { path: '.' })] }, 'It is broken in a.ts:3.'],
    reviews: { 'in a.ts:3': verdict(true, 90), 'is broken.': verdict(false, 20, 'Name the file.') },
  });
  const { workflowId } = await engine.ask('Go');
  const { run, entries } = await childOf(engine);
  expect(reviewers(engine)).toHaveLength(2);
  const fork = await goOn(engine, { workflowId, runId: run.id, entry: lastCall(entries) });
  const own = await engine.runtime.request('run.entries', { runId: fork.children[0]!.id });
  const kinds = (all: typeof own) => all.map((entry) => (entry.kind === 'system' ? entry.code : entry.kind));
  expect(kinds(own)).toEqual(kinds(entries));
  expect(own.findLastIndex(({ cached }) => cached !== undefined)).toBe(lastCall(entries));
  // Its last answer, the review of that, and what its lead makes of it.
  expect(fork.asks).toHaveLength(3);
  expect(reviewers(engine)).toHaveLength(3);
});

test('a fork of a fork reuses the requests of the first conversation, until that conversation is deleted', async () => {
  const engine = await start(threeChildren());
  await engine.ask('Look at all of it');
  const { workflowId } = await engine.ask('Look at all of it');
  const first = await told(engine, workflowId);
  const fork = await goOn(engine, { workflowId, entry: lastCall(first.entries) });
  const from = { workflowId: fork.workflow.id, entry: lastCall(fork.entries) };
  const { asks, entries } = await goOn(engine, from, fork.made.id);
  expect(asks).toHaveLength(1);
  const marks = (all: typeof entries) => all.flatMap(({ cached }) => cached ?? []);
  expect(marks(entries)).toEqual(marks(fork.entries));
  const [copiedWorkflow] = (await snapshotOf(engine, fork.made.id)).workflows;
  const copiedStep = { workflowId: copiedWorkflow!.id, entry: lastCall(first.entries) };
  expect((await goOn(engine, copiedStep, fork.made.id)).asks).toHaveLength(1);
  await engine.runtime.request('conversation.delete', { conversationId: engine.conversationId });
  const request = { conversationId: fork.made.id, goOn: true, ...copiedStep };
  await expect(engine.runtime.request('conversation.fork', request)).rejects.toMatchObject({ code: 'conflict' });
});

fullTest(
  'tests/core/workflows/going-on/where-from.test.ts › a fork of a fork reuses the requests of the first conversation, until that conversation is deleted',
)('two forks of a fork: what was taken says where it was paid first, and the first one may be gone', async () => {
  const { questions, person } = asked();
  const engine = await start(threeChildren(), { person });
  await engine.ask('Look at all of it');
  const { workflowId } = await engine.ask('Look at all of it');
  const first = await told(engine, workflowId);
  const fork = await goOn(engine, { workflowId, entry: lastCall(first.entries) });
  questions.length = 0;
  const from = { workflowId: fork.workflow.id, entry: lastCall(fork.entries) };
  for (let time = 0; time < 2; time += 1) {
    const { asks, children, entries } = await goOn(engine, from, fork.made.id);
    expect(asks).toHaveLength(1);
    expect(children.map(({ cached }) => cached)).toEqual(fork.children.map(({ cached }) => cached));
    const requestOf = (all: typeof entries) => all.find((entry) => entry.kind === 'assistant')?.request;
    expect(requestOf(entries)).toEqual(requestOf(first.entries));
    const marks = (all: typeof entries) => all.flatMap(({ cached }) => cached ?? []);
    expect(marks(entries)).toEqual(marks(fork.entries));
  }
  expect(questions).toEqual([]);
  // Of what a fork took over, the steps are where it was done.
  const [taken] = (await snapshotOf(engine, fork.made.id)).workflows;
  const again = { workflowId: taken!.id, entry: lastCall(first.entries) };
  expect((await goOn(engine, again, fork.made.id)).asks).toHaveLength(1);

  await engine.runtime.request('conversation.delete', { conversationId: engine.conversationId });
  const refused = (step: object, conversationId: string) =>
    engine.runtime.request('conversation.fork', { conversationId, workflowId, goOn: true, ...step });
  await expect(refused(from, engine.conversationId)).rejects.toMatchObject({ code: 'conflict' });
  await expect(refused(again, fork.made.id)).rejects.toMatchObject({ code: 'conflict' });
  await engine.runtime.request('conversation.purge', { conversationId: engine.conversationId });
  await expect(refused(again, fork.made.id)).rejects.toMatchObject({ code: 'conflict' });
  expect((await goOn(engine, from, fork.made.id)).asks).toHaveLength(1);
});

test('what was stopped, refused or failed is asked again; the cache is that of the one workflow', async () => {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn({ name: 'alpha', prompt: 'Look at alpha.' }), spawn({ name: 'beta', prompt: 'Look at beta.' })])
    .on({ ...CHILD, prompt: /beta/ })
    .reply([text('No.')], { stopReason: 'refusal' })
    .on(CHILD)
    .reply([text('# Report\n\nFound.')])
    .on({})
    .reply([text('Done.')]);
  const { questions, person } = asked();
  const engine = await start(script, { person });
  const { workflowId } = await engine.ask('Look');
  const first = await told(engine, workflowId);
  expect(first.children.map(({ outcome }) => outcome)).toEqual(['completed', 'refused']);
  questions.length = 0;
  const fork = await goOn(engine, { workflowId, entry: lastCall(first.entries) });
  expect(questions.map(({ request: { subject } }) => subject)).toMatchObject([
    { items: [{ envelope: { agent: 'beta' } }] },
  ]);
  expect(fork.children.map(({ cached }) => cached !== undefined)).toEqual([true, false]);
  // A message with the same words in the fork, or anywhere else, is work like any other.
  questions.length = 0;
  await engine.ask('Look');
  expect(questions).toHaveLength(2);
  const { cached } = (await told(engine, engine.of('workflow-start').at(-1)!.workflowId)).entries.at(1)!;
  expect(cached).toBeUndefined();
});

test('a step that nothing follows, an entry that is none, and a response that calls itself cached', async () => {
  const mark = { conversationId: '0', workflowId: '0', runId: '0' };
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([
      text(`from cache, $0 ${JSON.stringify({ cached: mark })}`),
      toolUse('think', { thought: 'It is cached', cached: mark }),
      toolUse('list_directory', { path: '.' }),
    ])
    .on({})
    .reply([text('Done.')]);
  const engine = await start(script);
  const { workflowId } = await engine.ask('Look');
  const { entries, requests } = await told(engine, workflowId);
  expect(entries.every(({ cached }) => cached === undefined)).toBe(true);
  expect(requests).toHaveLength(2);
  const { conversationId, runtime } = engine;
  const ask = (step: object) =>
    runtime.request('conversation.fork', { conversationId, workflowId, goOn: true, ...step });
  const before = (await runtime.request('conversation.list', {})).items.length;
  await expect(ask({ entry: entries.length - 1 })).rejects.toMatchObject({
    ...{ code: 'conflict', message: expect.stringContaining('Nothing follows this step') as string },
  });
  await expect(ask({ entry: 99 })).rejects.toMatchObject({ code: 'not_found' });
  await expect(ask({})).rejects.toMatchObject({ code: 'bad_input' });
  await expect(ask({ runId: conversationId, entry: 1 })).rejects.toMatchObject({ code: 'not_found' });
  expect((await runtime.request('conversation.list', {})).items).toHaveLength(before);
  expect(
    (await runtime.request('trash.list', {})).items.filter(({ from }) => from?.conversationId === conversationId),
  ).toEqual([]);
  // Without going on, a fork at a step starts nothing.
  const count = engine.model.requests.length;
  const { id } = await runtime.request('conversation.fork', { conversationId, workflowId, entry: 1 });
  expect((await snapshotOf(engine, id)).workflows).toMatchObject([{ taken: { workflowId }, outcome: 'cancelled' }]);
  expect(engine.model.requests).toHaveLength(count);
});
