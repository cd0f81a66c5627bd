/** From which steps a fork may go on, and from which not: those of sub-agents, of forks, of what was stopped, and of what is gone. */
import { expect, test } from 'vitest';
import { LEAD, threeChildren } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { verdict } from '../../../support/fake-model/reflecting.ts';
import { asked, goOn, lastCall, snapshotOf, told } from './going-on.ts';
import { childOf, reviewers, startReflecting } from '../../../support/reflecting.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const { start } = sharedEngine();

test('a fork at a step of a sub-agent requires approval for that sub-agent alone and continues there', async () => {
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
  expect(fork.children.map(({ agent, copiedFrom }) => [agent, copiedFrom?.runId])).toEqual([
    ['alpha', first.children[0]!.id],
    ['beta', undefined],
    ['gamma', first.children[2]!.id],
  ]);
  const own = await engine.runtime.request('run.entries', { runId: fork.children[1]!.id });
  expect(own.map(({ kind, copiedFrom }) => [kind, copiedFrom?.runId])).toEqual([
    ['user', beta.id],
    ['assistant', beta.id],
    ['tool', beta.id],
    ['system', undefined],
    ['assistant', undefined],
  ]);
  // Its report is asked for, and what its lead makes of it.
  expect(fork.asks).toHaveLength(2);
  expect(fork.conversation.usage.requests).toBe(2);
});

test('a fork copies the self-review before its step and the feedback to the agent', async () => {
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
  expect(kinds(own)).toEqual(kinds(entries).toSpliced(lastCall(entries) + 1, 0, 'resumed'));
  expect(own.findLastIndex(({ copiedFrom }) => copiedFrom !== undefined)).toBe(lastCall(entries));
  // Its last answer, the review of that, and what its lead makes of it.
  expect(fork.asks).toHaveLength(3);
  expect(reviewers(engine)).toHaveLength(3);
});

test('a fork of a fork refers to the first conversation; once that is purged, only its continued work can be forked', async () => {
  const { questions, person } = asked();
  const engine = await start(threeChildren(), { person });
  await engine.ask('Look at all of it');
  const { workflowId } = await engine.ask('Look at all of it');
  const first = await told(engine, workflowId);
  const fork = await goOn(engine, { workflowId, entry: lastCall(first.entries) });
  questions.length = 0;
  const from = { workflowId: fork.workflow.id, entry: lastCall(fork.entries) };
  const { asks, children, entries } = await goOn(engine, from, fork.made.id);
  expect(asks).toHaveLength(1);
  const marks = (all: typeof entries) => all.flatMap(({ copiedFrom }) => copiedFrom ?? []);
  expect(marks(entries)).toEqual(marks(fork.entries));
  expect(children.map(({ copiedFrom }) => copiedFrom)).toEqual(fork.children.map(({ copiedFrom }) => copiedFrom));
  expect(questions).toEqual([]);
  // The sub-agents of what a fork took over are where they worked.
  const [taken] = (await snapshotOf(engine, fork.made.id)).workflows;
  const again = { workflowId: taken!.id, entry: lastCall(first.entries) };
  const second = await goOn(engine, again, fork.made.id);
  expect(second.asks).toHaveLength(1);
  expect(second.children).toHaveLength(3);

  await engine.runtime.request('conversation.delete', { conversationId: engine.conversationId });
  const refused = () =>
    engine.runtime.request('conversation.fork', { conversationId: fork.made.id, goOn: true, ...again });
  await expect(refused()).rejects.toMatchObject({ code: 'conflict' });
  await engine.runtime.request('conversation.purge', { conversationId: engine.conversationId });
  await expect(refused()).rejects.toMatchObject({ code: 'conflict' });
  expect((await goOn(engine, from, fork.made.id)).asks).toHaveLength(1);
});

test('rejects a fork at the last step or at an unknown entry, and ignores copy marks in a response', async () => {
  const mark = { conversationId: '0', workflowId: '0', runId: '0' };
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([
      text(`copied, $0 ${JSON.stringify({ copiedFrom: mark })}`),
      toolUse('think', { thought: 'It is copiedFrom', copiedFrom: mark }),
      toolUse('list_directory', { path: '.' }),
    ])
    .on({})
    .reply([text('Done.')]);
  const engine = await start(script);
  const { workflowId } = await engine.ask('Look');
  const { entries, requests } = await told(engine, workflowId);
  expect(entries.every(({ copiedFrom }) => copiedFrom === undefined)).toBe(true);
  expect(requests).toHaveLength(2);
  const { conversationId, runtime } = engine;
  const ask = (step: object) =>
    runtime.request('conversation.fork', { conversationId, workflowId, goOn: true, ...step });
  const before = (await runtime.request('conversation.list', {})).items.length;
  await expect(ask({ entry: entries.length - 1 })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('Nothing follows this step') as string,
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
  expect((await snapshotOf(engine, id)).workflows).toMatchObject([
    { copiedFrom: { workflowId }, outcome: 'cancelled' },
  ]);
  expect(engine.model.requests).toHaveLength(count);
});
