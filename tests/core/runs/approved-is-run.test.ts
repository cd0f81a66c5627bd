/** What runs is what was approved: a run whose stored settings are others than those is not started. */
import { describe, expect, test } from 'vitest';
import type { Envelope } from '#contract/agent.ts';
import type { RunRow } from '#contract/view.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { startAgain, startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { spawnOne } from '../../support/fake-model/scenarios.ts';
import { setFields } from '../../support/commit-items.ts';

/** The program ends while the question about a sub-agent is open, a stored envelope is changed, and the answer is yes. */
async function changedMeanwhile(whose: (run: RunRow) => boolean, change: Partial<Envelope>) {
  const store = await memoryStore();
  const engine = await startEngine(spawnOne(), { store: lasting(store), person: () => null });
  const { workflowId } = await engine.send('Look');
  const { approval } = await engine.event('approval-request');
  await engine.runtime.close();
  const run = (await store.runsOf([workflowId])).find(whose);
  if (!run) throw new Error('no such run');
  const set = { envelope: { ...run.envelope, ...change } };
  await store.commit([setFields('run', run.id, set)]);
  const before = engine.model.requests.length;
  const runtime = await startAgain(engine, store);
  await runtime.subscribe('attention', { canAnswer: true }, () => undefined);
  const decide = () => runtime.request('approval.decide', { approvalId: approval.id, answer: { kind: 'allow' } });
  const ended = async (outcome: string) =>
    eventually(async () => expect(await store.workflow(workflowId)).toMatchObject({ outcome }));
  return { store, runtime, run, decide, ended, workflowId, since: () => engine.model.requests.slice(before) };
}

test('a sub-agent is not started if its stored prompt changed after the approval request', async () => {
  const prompt = 'Delete everything.';
  const { store, run, decide, ended, since } = await changedMeanwhile((one) => one.parentRunId !== null, { prompt });
  expect(await decide()).toMatchObject({ allowed: true });
  await ended('completed');
  expect(await store.run(run.id)).toMatchObject({ outcome: 'error', error: { code: 'envelope_mismatch' } });
  // The lead alone has gone on, and reads why.
  expect(since().map(({ seen }) => seen.tools.includes('spawn_agent'))).toEqual([true]);
  expect(since()[0]?.seen.results[0]).toMatchObject({
    text: expect.stringContaining('not those that were approved') as string,
  });
});

test('a lead does not resume if its stored settings changed after the start', async () => {
  const isLead = (one: RunRow) => one.parentRunId === null;
  const { store, runtime, run, ended, workflowId, since } = await changedMeanwhile(isLead, { maxTokens: 64 });
  await runtime.request('workflow.resume', { workflowId });
  await ended('error');
  expect(await store.run(run.id)).toMatchObject({ outcome: 'error', error: { code: 'envelope_mismatch' } });
  expect(since()).toEqual([]);
});

describe('unusable stored settings', () => {
  const damaged = { limits: undefined } as unknown as Partial<Envelope>;

  test('end a lead and its workflow with an error', async () => {
    const isLead = (one: RunRow) => one.parentRunId === null;
    const { store, runtime, run, ended, workflowId, since } = await changedMeanwhile(isLead, damaged);
    await runtime.request('workflow.resume', { workflowId });
    await ended('error');
    expect(await store.run(run.id)).toMatchObject({ outcome: 'error', error: { code: 'envelope_mismatch' } });
    expect(since()).toEqual([]);
  });

  test('end a sub-agent with an error, and its lead goes on', async () => {
    const { store, run, decide, ended, since } = await changedMeanwhile((one) => one.parentRunId !== null, damaged);
    expect(await decide()).toMatchObject({ allowed: true });
    await ended('completed');
    expect(await store.run(run.id)).toMatchObject({ outcome: 'error', error: { code: 'envelope_mismatch' } });
    expect(since().map(({ seen }) => seen.tools.includes('spawn_agent'))).toEqual([true]);
  });
});

test('a lead and its sub-agent go on if their stored settings are unchanged', async () => {
  const { decide, ended, since } = await changedMeanwhile((one) => one.parentRunId !== null, {});
  expect(await decide()).toMatchObject({ allowed: true });
  await ended('completed');
  expect(since().length).toBeGreaterThan(1);
});
