/** What a fork that goes on from a step may have: the settings that it had, and never a question less than now. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEngine } from '../../../support/engine.ts';
import { LEAD } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { done, pair, startFlow } from '../../../support/flows/flows.ts';
import { asked, goOn, lastCall, told } from './going-on.ts';

const AUTO = '[permissions]\nmode = "auto"\n';

const writing = (): Script =>
  new Script()
    .on({ lastUser: /undid/ })
    .reply([text('Done.')])
    .on({ ...LEAD, step: 1 })
    .reply([toolUse('read_file', { path: 'README.md' })])
    .on({ ...LEAD, step: 2 })
    .reply([toolUse('write_file', { path: 'plan.md', content: 'mine' })])
    .on({})
    .reply([text('Done.')]);

test('a continued fork follows current rules, limits and undos, and is rejected untrusted or while the demo is on', async () => {
  const { questions, person } = asked();
  const engine = await startEngine(writing(), {
    person,
    settings: AUTO,
    files: { 'README.md': 'it', 'AGENTS.md': 'Be kind.' },
  });
  const { runtime, folder, conversationId } = engine;
  const { files } = await runtime.request('trust.look', { folder });
  await runtime.request('trust.set', { folder, files: files.map(({ path, hash }) => ({ path, hash: hash ?? '' })) });
  const { workflowId } = await engine.ask('Write');
  expect(questions).toEqual([]);
  const { entries } = await told(engine, workflowId);
  const entry = entries.find(({ kind }) => kind === 'tool')!.n;

  await rm(join(folder, 'plan.md'));
  await runtime.request('settings.set', { path: 'permissions.mode', value: 'manual' });
  await runtime.request('settings.set', { path: 'limits.run.max_cost_usd', value: 0.5 });
  const fork = await goOn(engine, { workflowId, entry });
  expect(questions.map(({ request: { subject } }) => subject)).toMatchObject([{ kind: 'tool', tool: 'write_file' }]);
  expect(fork.lead.envelope.limits.budget).toMatchObject({ costUsd: 0.5 });
  expect(fork.entries.filter(({ copiedFrom }) => copiedFrom)).toHaveLength(3);

  // What was copied stands once among the calls that rules are tried on.
  const { calls } = await runtime.request('rules.preview', { folder });
  expect(calls.map(({ tool }) => tool)).toEqual(['write_file', 'write_file', 'read_file']);

  // What was undone there is told.
  const { runId } = fork.workflow.from!;
  const before = await goOn(engine, { workflowId, entry: lastCall(entries) });
  await runtime.request('change.undo', { conversationId, target: { runId } });
  const undone = await goOn(engine, { workflowId, entry: lastCall(entries) });
  expect(undone.entries.map(({ kind, copiedFrom }) => [kind, copiedFrom !== undefined])).toEqual([
    ...['user', 'assistant', 'tool', 'assistant', 'tool'].map((kind) => [kind, true]),
    ['system', false],
    ['user', false],
    ['assistant', false],
  ]);
  expect(undone.asks.map(({ seen }) => seen.lastUser)).toEqual([
    expect.stringContaining('undid what lead did: plan.md') as string,
  ]);
  // So it is in a fork of a fork that was made before, where nothing was undone.
  const again = await goOn(engine, { workflowId: before.workflow.id, entry: lastCall(before.entries) }, before.made.id);
  expect(again.asks.map(({ seen }) => seen.lastUser)).toEqual([
    expect.stringContaining('undid what lead did: plan.md') as string,
  ]);

  const count = engine.model.requests.length;
  const refused = () =>
    runtime.request('conversation.fork', { conversationId, workflowId, entry: lastCall(entries), goOn: true });
  await runtime.request('settings.set', { path: 'providers.active', value: 'demo' });
  await expect(refused()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('demo') as string,
  });
  await runtime.request('settings.set', { path: 'providers.active', value: null });
  await runtime.request('trust.revoke', { folder });
  await expect(refused()).rejects.toMatchObject({
    code: 'not_allowed',
    message: expect.stringContaining('AGENTS.md') as string,
  });
  expect(engine.model.requests).toHaveLength(count);
});

test('a continued sub-agent and its coagent use the current approval mode and cost limit', async () => {
  const { questions, person } = asked();
  const script = pair(['First.'], { First: done('Good.') });
  const engine = await startFlow(script, { flow: { type: 'judge' }, as: 'sub', person, settings: AUTO });
  const { runtime } = engine;
  const { workflowId } = await engine.ask('Go');
  const [first] = (await told(engine, workflowId)).children;
  await runtime.request('settings.set', { path: 'permissions.mode', value: 'manual' });
  await runtime.request('settings.set', { path: 'limits.run.max_cost_usd', value: 0.5 });
  questions.length = 0;
  const fork = await goOn(engine, { workflowId, runId: first!.id, entry: 1 });
  const narrow = { approvalMode: 'manual', limits: { budget: { costUsd: 0.5 } } };
  expect(first!.envelope).not.toMatchObject(narrow);
  expect(questions.map(({ request: { subject } }) => subject)).toMatchObject([
    { items: [{ envelope: { ...narrow, flow: { coagent: narrow } } }] },
  ]);
  expect(fork.children.map(({ outcome, envelope }) => [outcome, envelope.approvalMode])).toEqual([
    ['completed', 'manual'],
    ['completed', 'manual'],
  ]);
});
