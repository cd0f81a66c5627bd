/** Sub-agents of a fork that goes on from a step, whose start nobody has allowed there: nothing else starts them either. */
import { expect, test } from 'vitest';
import { startEngine } from '../../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text } from '../../../support/fake-model/script.ts';
import { chainScript, startChain } from '../../../support/flows/chains.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { goOn, snapshotOf, told } from './going-on.ts';
import { yes } from '../../../support/compose.ts';

const { start } = sharedEngine();

const scouting = (): Script =>
  new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Look.' })])
    .on(CHILD)
    .reply([text('# Report\n\nFound.')])
    .on({})
    .reply([text('Done.')]);

const neverApproved = { code: 'conflict', message: 'This agent was never approved: there is nothing to try again' };

test('rejects the retry of a copied sub-agent that was rejected in the fork', async () => {
  let isFork = false;
  const engine = await start(scouting(), {
    person: (approval, item) => (isFork ? { kind: 'reject', reason: 'No.' } : yes(approval, item)),
  });
  const { workflowId } = await engine.ask('Look');
  const { children } = await told(engine, workflowId);
  isFork = true;
  const fork = await goOn(engine, { workflowId, runId: children[0]!.id, entry: 0 });
  expect(fork.children).toMatchObject([{ outcome: 'rejected' }]);
  const { length } = engine.model.requests;
  await expect(engine.runtime.request('run.retry', { runId: fork.children[0]!.id })).rejects.toMatchObject(
    neverApproved,
  );
  expect(engine.model.requests).toHaveLength(length);
});

test('rejects the retry of a copied sub-agent whose fork was stopped before an answer', async () => {
  let isFork = false;
  const engine = await start(scouting(), { person: (approval, item) => (isFork ? null : yes(approval, item)) });
  const { runtime, conversationId } = engine;
  const { workflowId } = await engine.ask('Look');
  const { children } = await told(engine, workflowId);
  isFork = true;
  const step = { conversationId, workflowId, runId: children[0]!.id, entry: 0 };
  const { id } = await runtime.request('conversation.fork', { ...step, goOn: true });
  const { workflows } = await snapshotOf(engine, id);
  await expect.poll(async () => (await snapshotOf(engine, id)).approvals.length).toBe(1);
  await runtime.request('workflow.stop', { workflowId: workflows[0]!.id });
  await expect.poll(async () => (await snapshotOf(engine, id)).workflows[0]!.outcome).toBe('cancelled');
  const [scout] = (await told(engine, workflows[0]!.id)).children;
  expect(scout).toMatchObject({ outcome: 'cancelled' });
  const { length } = engine.model.requests;
  await expect(runtime.request('run.retry', { runId: scout!.id })).rejects.toMatchObject(neverApproved);
  expect(engine.model.requests).toHaveLength(length);
});

test('rejects the retry of a chain stage whose chain was rejected in the fork', async () => {
  let isFork = false;
  const engine = await startChain(
    chainScript(),
    { person: (approval, item) => (isFork ? { kind: 'reject', reason: 'No.' } : yes(approval, item)) },
    undefined,
    start,
  );
  const { workflowId } = await engine.ask('Go');
  const { children } = await told(engine, workflowId);
  isFork = true;
  const [research, draft] = children;
  for (const [run, entry] of [
    [research!, 1],
    [draft!, 0],
  ] as const) {
    const fork = await goOn(engine, { workflowId, runId: run.id, entry });
    const last = fork.children.at(-1)!;
    const { length } = engine.model.requests;
    await expect(engine.runtime.request('run.retry', { runId: last.id }), run.agent).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(engine.model.requests).toHaveLength(length);
  }
});

test('a copied sub-agent that is rejected in the fork releases its slot', async () => {
  const script = new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Look.' })])
    .on({ ...LEAD, turn: 2, asked: /Once more/ })
    .reply([spawn({ name: 'delta', prompt: 'Look at delta.' })])
    .on(CHILD)
    .reply([text('# Report\n\nFound.')])
    .on({})
    .reply([text('Done.')]);
  let isFork = false;
  const engine = await startEngine(script, {
    settings: 'limits.max_sub_agents = 1\n',
    person: (approval, item) => {
      const { subject } = approval.request;
      const isScout = subject.kind === 'envelopes' && subject.items[item]!.envelope.agent === 'scout';
      return isFork && isScout ? { kind: 'reject', reason: 'No.' } : yes(approval, item);
    },
  });
  const { workflowId } = await engine.ask('Look. Once more.');
  const { children } = await told(engine, workflowId);
  isFork = true;
  const fork = await goOn(engine, { workflowId, runId: children[0]!.id, entry: 0 });
  expect(fork.children.map(({ agent, outcome }) => [agent, outcome])).toEqual([
    ['scout', 'rejected'],
    ['delta', 'completed'],
  ]);
});
