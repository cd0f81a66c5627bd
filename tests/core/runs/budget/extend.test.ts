/** The person gives more: while it runs, after it ended at its limit, to the whole workflow, to the lead or to a sub-agent. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_WORKFLOW_LIMITS } from '#contract/limits.ts';
import { eventually } from '../../../support/eventually.ts';
import { outcomes, outputOf, startEngine } from '../../../support/engine.ts';
import { LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { Gate } from '../../../support/gate.ts';

const usage = { input: 100, output: 20 };
const LAST = /You have no tools any more/;
const AGAIN = /You have your tools again/;

/** Looks around for ever until it is given more; then it finishes. */
function worker(): Script {
  let turn = 0;
  return new Script()
    .on({ asked: AGAIN })
    .reply([text('Now all of it.')], { usage })
    .on({ lastUser: LAST })
    .reply([text('Half of it.')], { usage })
    .on({})
    .reply(() => [toolUse('read_file', { path: 'README.md', limit: (turn += 1) })], { usage });
}

/** A lead whose one sub-agent works like that. */
function leadOf(worked: Script): Script {
  const script = new Script()
    .on({ ...LEAD, asked: /Report of the sub-agent/ })
    .reply([text('Thanks, that is better.')], { usage })
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'worker', prompt: 'Look.' })], { usage })
    .on({ ...LEAD, turn: 2 })
    .reply([text('That was little.')], { usage });
  script.rules.push(...worked.rules);
  return script;
}

describe('extending a budget', () => {
  test('a workflow that ended at its limit goes on with its tools after an extension', async () => {
    const engine = await startEngine(worker(), { settings: '[limits.workflow]\nmax_tokens = 400\n' });
    const first = await engine.ask('Go');
    expect(first).toMatchObject({ outcome: 'budget_exceeded', text: 'Half of it.' });
    const before = engine.durable().length;
    await expect(
      engine.runtime.request('workflow.extend', {
        workflowId: first.workflowId,
        add: { tokens: 1 },
        seen: { ...DEFAULT_WORKFLOW_LIMITS, tokens: 400 },
      }),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('add more') as string });
    await engine.runtime.request('workflow.extend', {
      workflowId: first.workflowId,
      add: { tokens: 5000 },
      seen: { ...DEFAULT_WORKFLOW_LIMITS, tokens: 400 },
    });
    await eventually(async () =>
      expect(await engine.store.workflow(first.workflowId)).toMatchObject({
        outcome: 'completed',
        text: 'Now all of it.',
        attempt: 2,
        budget: { tokens: 5400 },
      }),
    );
    const since = engine.durable().slice(before);
    expect(since[0]).toMatchObject({
      type: 'workflow-start',
      attempt: 2,
      budget: { ...DEFAULT_WORKFLOW_LIMITS, tokens: 400 },
    });
    expect(since[1]).toMatchObject({ type: 'limit-change', of: 'workflow', limits: { tokens: 5400 } });
    const codes = since.flatMap((event) =>
      event.type === 'message-end' && event.entry.kind === 'system' ? [event.entry.code] : [],
    );
    expect(codes).toEqual(['resumed', 'extended']);
    expect(engine.model.requests.at(-1)?.body.tool_choice?.type).not.toBe('none');
    await expect(
      engine.runtime.request('workflow.extend', {
        workflowId: first.workflowId,
        add: { tokens: 1 },
        seen: { ...DEFAULT_WORKFLOW_LIMITS, tokens: 5400 },
      }),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  test('extends a lead that ended at its iteration limit, and rejects an extension of another limit', async () => {
    const engine = await startEngine(worker(), { settings: '[limits.run]\nmax_iterations = 2\n' });
    const first = await engine.ask('Go');
    const { workflowId, runId } = first;
    expect(first.outcome).toBe('budget_exceeded');
    await expect(
      engine.runtime.request('run.extend', { runId, add: { tokens: 100 }, seen: { iterations: 2 } }),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('2 turns') as string });
    await expect(
      engine.runtime.request('workflow.extend', { workflowId, add: { tokens: 100 }, seen: {} }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      engine.runtime.request('run.extend', { runId, add: {}, seen: { iterations: 2 } }),
    ).rejects.toMatchObject({
      code: 'bad_input',
    });
    await engine.runtime.request('run.extend', { runId, add: { iterations: 3 }, seen: { iterations: 2 } });
    await eventually(async () =>
      expect(await engine.store.workflow(workflowId)).toMatchObject({ outcome: 'completed' }),
    );
    const run = await engine.store.run(runId);
    expect(run).toMatchObject({ limits: { iterations: 5 }, envelope: { limits: { maxIterations: 2 } } });
    expect(run?.envelopeHash).toBe(engine.of('run-queue')[0]?.envelopeHash);
  });

  test('an extension during a run takes effect at the next check', async () => {
    const held = new Gate();
    let turn = 0;
    const script = new Script()
      .on({ lastUser: LAST })
      .reply([text('Too early.')], { usage })
      .on({ turn: 3 })
      .reply([toolUse('list_directory', { path: '.' })], { usage, hold: held.at(0) })
      .on({ turn: 6 })
      .reply([text('All of it.')], { usage })
      .on({})
      .reply(() => [toolUse('read_file', { path: 'README.md', limit: (turn += 1) })], { usage });
    const engine = await startEngine(script, { settings: '[limits.run]\nmax_iterations = 3\n' });
    const { workflowId, runId } = await engine.send('Go');
    await engine.model.waitFor(({ seen }) => seen.turn === 3);
    await engine.runtime.request('run.extend', { runId, add: { iterations: 7 }, seen: { iterations: 3 } });
    held.open();
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed', text: 'All of it.' });
    expect(engine.of('limit-change')).toMatchObject([{ of: 'run', runId, limits: { iterations: 10 } }]);
  });

  test('rejects the second of two extensions based on one state of the limits', async () => {
    const held = new Gate();
    const script = new Script().on({}).reply([text('Done.')], { hold: held.at(0) });
    const engine = await startEngine(script, { settings: '[limits.workflow]\nmax_tokens = 5000\n' });
    const { workflowId, runId } = await engine.send('Go');
    await engine.model.waitFor(() => true);
    const ofWorkflow = { workflowId, add: { tokens: 100 }, seen: { ...DEFAULT_WORKFLOW_LIMITS, tokens: 5000 } };
    const ofRun = { runId, add: { iterations: 5 }, seen: { iterations: 200 } };
    const outdated = { code: 'conflict', message: expect.stringContaining('changed meanwhile') as string };
    await engine.runtime.request('workflow.extend', ofWorkflow);
    await expect(engine.runtime.request('workflow.extend', ofWorkflow)).rejects.toMatchObject(outdated);
    await engine.runtime.request('run.extend', ofRun);
    await expect(engine.runtime.request('run.extend', ofRun)).rejects.toMatchObject(outdated);
    expect(engine.of('limit-change').map(({ limits }) => limits)).toEqual([
      { ...DEFAULT_WORKFLOW_LIMITS, tokens: 5100 },
      { iterations: 205 },
    ]);
    await engine.runtime.request('workflow.extend', {
      ...ofWorkflow,
      seen: { ...DEFAULT_WORKFLOW_LIMITS, tokens: 5100 },
    });
    held.open();
    await engine.ended(workflowId);
    expect((await engine.store.workflow(workflowId))?.budget).toEqual({ ...DEFAULT_WORKFLOW_LIMITS, tokens: 5200 });
  });

  test('an extension during the last request lets the run go on', async () => {
    const held = new Gate();
    const script = worker();
    script.rules.unshift(...new Script().on({ asked: LAST }).reply([text('Half.')], { usage, hold: held.at(0) }).rules);
    const engine = await startEngine(script, { settings: '[limits.workflow]\nmax_tokens = 300\n' });
    const { workflowId } = await engine.send('Go');
    await engine.model.waitFor(({ seen }) => LAST.test(seen.asked));
    await engine.runtime.request('workflow.extend', {
      workflowId,
      add: { tokens: 5000 },
      seen: { ...DEFAULT_WORKFLOW_LIMITS, tokens: 300 },
    });
    held.open();
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed', text: 'Now all of it.' });
  });

  test('an extended sub-agent that ended at its limit goes on, and its lead answers anew', async () => {
    const engine = await startEngine(leadOf(worker()), {
      person: ({ request: { subject } }) => {
        if (subject.kind !== 'envelopes') return null;
        const { envelope } = subject.items[0]!;
        return { kind: 'edit', value: { ...envelope, limits: { ...envelope.limits, maxIterations: 2 } } };
      },
    });
    const first = await engine.ask('Go');
    expect(outcomes(first)).toEqual(['completed', 'budget_exceeded']);
    const handed = engine.of('tool-end').find(({ entry }) => entry.name === 'spawn_agent');
    expect(outputOf(handed?.entry.output)).toMatchObject({
      outcome: 'budget_exceeded',
      report: 'Half of it.',
    });
    const runId = first.subAgents[0]!.runId;
    await expect(engine.runtime.request('run.retry', { runId })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('2 turns') as string,
    });
    await engine.runtime.request('run.extend', { runId, add: { iterations: 10 }, seen: { iterations: 2, costUsd: 2 } });
    await eventually(async () =>
      expect(await engine.store.workflow(first.workflowId)).toMatchObject({
        outcome: 'completed',
        text: 'Thanks, that is better.',
        attempt: 2,
        subAgentCount: 1,
      }),
    );
    expect(await engine.store.run(runId)).toMatchObject({
      outcome: 'completed',
      text: 'Now all of it.',
      attempt: 2,
      limits: { iterations: 12 },
    });
  });
});
