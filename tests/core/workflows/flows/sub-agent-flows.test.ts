/** A sub-agent with a coagent: one result for its lead, all of it accounted for, stopped with what it serves, tried again. */
import { describe, expect, test } from 'vitest';
import { DEPTH_REFUSAL } from '#contract/limits.ts';
import { outputOf } from '../../../support/engine.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import {
  asked,
  before,
  CHECKER,
  done,
  handoffs,
  pair,
  PAIR,
  startFlow,
  type FlowOptions,
  WORKER,
} from '../../../support/flows/flows.ts';
import { createAlarms } from '../../runs/loop/alarms.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const { start } = sharedEngine();
const inOne = (script: Script, options: FlowOptions) => startFlow(script, options, start);

type Engine = Awaited<ReturnType<typeof startFlow>>;

const told = (engine: Engine) =>
  outputOf(engine.of('tool-end').find(({ entry }) => entry.name === 'delegate_task')?.entry.output);
const detailOf = ({ runtime }: Engine, workflowId: string) => runtime.request('workflow.get', { workflowId });
const as = 'sub' as const;
const judge = { type: 'judge' } as const;

describe('a sub-agent with a coagent', () => {
  test('returns one result to its lead with the words of the coagent', async () => {
    const write = toolUse('write_file', { path: 'page.md', content: 'The page.\n' });
    const engine = await inOne(
      pair(['First.', 'Second.'], { First: 'No title.', Second: [[write], done('I wrote the file.')] }),
      { flow: { type: 'smart' }, as },
    );
    const end = await engine.ask('Go');
    expect(end).toMatchObject({ outcome: 'completed', text: 'The lead has the report.' });
    expect(told(engine)).toMatchObject({ success: true, report: 'Second.\n\nI wrote the file.' });
    expect(end.subAgents.map(({ agent }) => agent)).toEqual([PAIR]);
    expect(engine.of('notice'), 'only a lead names the agents of its control flow').toEqual([]);
    const { runs, workflow } = await detailOf(engine, end.workflowId);
    const sub = runs.find(({ agent }) => agent === PAIR);
    const parentChain = ['user', 'lead', PAIR, 'checker'];
    const own = { parentRunId: sub?.id, depth: 1, parentChain, outcome: 'completed' };
    expect(runs.filter(({ kind }) => kind === 'coagent')).toMatchObject([
      { ...own, place: 1 },
      { ...own, place: 2 },
    ]);
    expect(workflow.subAgentCount).toBe(1);
    expect(sub?.reviews?.map(({ verdict }) => verdict?.passed)).toEqual([false, true]);
    expect(engine.of('approval-request').at(-1)?.approval).toMatchObject({ agent: 'checker', chain: parentChain });
  });

  test('counts each request once, for its run and for the workflow', async () => {
    const writer = new Script().on({ system: /You write what/ }).reply([text('Mind the title.')]);
    const engine = await inOne(
      before(pair(['First.', 'Second.'], { First: 'No title.', Second: done('Good.') }), writer),
      { flow: { ...judge, handoff: { type: 'generated', text: 'You write what the checker is told.' } }, as },
    );
    const end = await engine.ask('Go');
    expect(end.outcome).toBe('completed');
    const { runs, requests, workflow } = await detailOf(engine, end.workflowId);
    expect(engine.model.requests).toHaveLength(8);
    expect(requests.map(({ purpose }) => purpose).filter(Boolean)).toEqual(['handoff', 'handoff']);
    expect(runs.map(({ usage }) => usage.requests)).toEqual([2, 4, 1, 1]);
    expect(workflow.usage).toMatchObject({ requests: 8, inputTokens: 8 * 100 });
    expect(runs.reduce((sum, { usage }) => sum + usage.inputTokens, 0)).toBe(8 * 100);
    expect(end.usage.inputTokens).toBe(8 * 100);
    // What was written is told, and what it was written from.
    const [first] = asked(engine, CHECKER);
    expect(first?.seen.prompt).toMatch(/^Mind the title\.\n\n## What was asked\n\nWrite the page\./);
  });

  test('rejects a spawn by its coagent because of the maximum depth', async () => {
    const spawn = toolUse('spawn_agent', { operation: 'spawn', name: 'other', prompt: 'Help.' });
    const engine = await inOne(pair(['First.'], { First: [[spawn], done('Good.')] }), { flow: judge, as });
    const end = await engine.ask('Go');
    expect(end.outcome).toBe('completed');
    expect(asked(engine, CHECKER)[1]?.seen.results).toMatchObject([{ text: DEPTH_REFUSAL, isError: true }]);
    expect(asked(engine, CHECKER)[0]?.seen.tools).not.toContain('spawn_agent');
  });

  test('returns its answer as partial with the reason if the coagent fails', async () => {
    const fails = { blocks: [], options: { status: 400 } };
    const engine = await inOne(pair(['First.'], { First: fails }), { flow: judge, as });
    const end = await engine.ask('Go');
    expect(told(engine)).toMatchObject({ success: false, outcome: 'partial', report: 'First.' });
    const { runs } = await detailOf(engine, end.workflowId);
    const [, sub, coagent] = runs;
    expect(coagent).toMatchObject({ kind: 'coagent', outcome: 'error' });
    expect(sub).toMatchObject({ outcome: 'partial', text: 'First.', error: { code: 'coagent_failed' } });
    expect(sub?.error?.message).toContain(coagent?.error?.message);
    expect(handoffs(engine.events)[1]).toMatchObject({ back: { outcome: 'error', error: coagent?.error?.message } });
    expect(sub?.reviews).toBeUndefined();
  });

  test('hands its stored answer over again after a retry, with all its rounds', async () => {
    const failing = new Script().on(CHECKER).reply([], { status: 400, times: 1 });
    const engine = await inOne(before(pair(['First.'], { First: done('Good.') }), failing), { flow: judge, as });
    const end = await engine.ask('Go');
    const [sub] = end.subAgents;
    await engine.runtime.request('run.retry', { runId: sub!.runId });
    await engine.event('workflow-end', ({ seq }) => seq > end.seq);
    const { runs } = await detailOf(engine, end.workflowId);
    expect(runs.find(({ id }) => id === sub?.runId)).toMatchObject({
      outcome: 'completed',
      text: 'First.',
      attempt: 2,
    });
    expect(runs.filter(({ kind }) => kind === 'coagent').map(({ outcome }) => outcome)).toEqual(['error', 'completed']);
    expect(handoffs(engine.events).map(({ round }) => round)).toEqual([1, 1, 1, 1]);
    expect(asked(engine, WORKER)).toHaveLength(1);
  });

  test('rejects a retry or an extension of its coagent alone', async () => {
    const look = toolUse('list_directory', { path: '.' });
    const engine = await inOne(pair(['First.'], { First: [[look], 'Too late.'] }), {
      flow: judge,
      as,
      checker: { maxIterations: 1 },
    });
    const end = await engine.ask('Go');
    const { runs } = await detailOf(engine, end.workflowId);
    const coagent = runs.find(({ kind }) => kind === 'coagent');
    expect(coagent).toMatchObject({ outcome: 'budget_exceeded' });
    const { id: runId } = coagent!;
    const why = 'try that one again';
    await expect(engine.runtime.request('run.retry', { runId })).rejects.toThrow(why);
    const more = { runId, add: { iterations: 5 }, seen: { iterations: 1, costUsd: 2 } };
    await expect(engine.runtime.request('run.extend', more)).rejects.toThrow(why);
  });
});

describe('stopping a control flow', () => {
  const hanging = { blocks: [text('I look at it.')], options: { hangAfter: 3 } };

  test('at the reviewed run also cancels its coagent', async () => {
    const engine = await inOne(pair(['First.'], { First: hanging }), { flow: judge, as });
    const { workflowId } = await engine.send('Go');
    const delta = await engine.event('message-delta', ({ agent }) => agent === 'checker');
    const receipt = await engine.runtime.request('run.stop', { runId: delta.parentRunId! });
    expect(receipt).toMatchObject({ agents: 2, requests: 1, left: 0 });
    await engine.ended(workflowId);
    const { runs } = await detailOf(engine, workflowId);
    expect(runs.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['lead', 'completed'],
      ['delegate', 'cancelled'],
      ['coagent', 'cancelled'],
    ]);
    expect(runs[2]?.error?.message).toBe('Stopped together with the run that started it');
    expect(runs[1]?.text).toBe('First.');
    expect(handoffs(engine.events)).toHaveLength(1);
  });

  test('at the coagent ends the control flow, and the answer is returned as partial', async () => {
    const engine = await inOne(pair(['First.'], { First: hanging }), { flow: judge, as });
    const { workflowId } = await engine.send('Go');
    const delta = await engine.event('message-delta', ({ agent }) => agent === 'checker');
    await engine.runtime.request('run.stop', { runId: delta.runId });
    const end = await engine.ended(workflowId);
    expect(end.outcome).toBe('completed');
    expect(told(engine)).toMatchObject({ outcome: 'partial', report: 'First.' });
    expect(told(engine).error).toContain('checker did not complete (Stopped by the person)');
  });

  test('cancels the open approval of the coagent', async () => {
    const write = toolUse('write_file', { path: 'page.md', content: 'The page.\n' });
    const shown = Promise.withResolvers<string>();
    const engine = await inOne(pair(['First.'], { First: [[write], done('Done.')] }), {
      flow: { type: 'smart' },
      as,
      person: ({ request }) => {
        if (request.agent !== 'checker') return { kind: 'allow' };
        shown.resolve(request.id);
        return null;
      },
    });
    const { workflowId } = await engine.send('Go');
    const asking = await shown.promise;
    const receipt = await engine.runtime.request('workflow.stop', { workflowId });
    expect(receipt).toMatchObject({ agents: 3, approvals: 1, left: 0 });
    const decided = await engine.event('approval-decide', ({ approvalId }) => approvalId === asking);
    expect(decided.decision).toMatchObject({ allowed: false, outcome: 'cancelled' });
    expect((await engine.ended(workflowId)).outcome).toBe('cancelled');
  });

  test('while the handoff prompt is written makes no handoff', async () => {
    const writer = new Script().on({ system: /You write what/ }).reply([text('Mind')], { hangAfter: 2 });
    const engine = await inOne(before(pair(['First.']), writer), {
      flow: { ...judge, handoff: { type: 'generated', text: 'You write what the checker is told.' } },
    });
    const { workflowId } = await engine.send('Go');
    await engine.event('request-start', ({ purpose, request }) => purpose === 'handoff' && !request.inputEstimated);
    await engine.runtime.request('workflow.stop', { workflowId });
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'cancelled', text: 'First.' });
    expect(handoffs(engine.events)).toEqual([]);
    const { requests, workflow } = await detailOf(engine, workflowId);
    expect(requests).toHaveLength(2);
    expect(workflow.usage.requests).toBe(2);
  });
});

test('the working time of the coagent is not counted for the run it reviews', async () => {
  const alarms = createAlarms(77_000);
  const slow = {
    blocks: [text('No title.')],
    options: { hold: { after: 0, until: () => Promise.resolve(alarms.ringAll()) } },
  };
  const engine = await inOne(pair(['First.', 'Second.'], { First: slow, Second: done('Good.') }), {
    flow: judge,
    as,
  });
  const { workflowId } = await engine.ask('Go');
  const { runs, workflow } = await detailOf(engine, workflowId);
  const [, sub, coagent] = runs;
  expect(coagent?.workedMs).toBeGreaterThanOrEqual(77_000);
  expect(workflow.workedMs).toBeGreaterThanOrEqual(77_000);
  // As of its second answer, which came after the coagent was heard.
  expect(sub?.workedMs).toBeLessThan(77_000);
});
