/** Stopping at every place where a run can be: it ends at once, says so in its row, and keeps what it used. */
import { describe, expect, test } from 'vitest';
import type { Attention } from '#contract/view.ts';
import { eventually } from '../../support/eventually.ts';
import { outcomes, outputOf, startEngine, yes } from '../../support/engine.ts';
import {
  batch,
  CHILD,
  LEAD,
  reportOf,
  spawn,
  spawnOne,
  threeChildren,
  writeFile,
} from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const hangs = { hangAfter: 3, usage: { input: 1234 } };

/** The child's request falls silent after it began. */
function hangingChild(): Script {
  return new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn({ name: 'slow', prompt: 'Take your time.' })])
    .on(CHILD)
    .reply([text('I begin and then fall silent', { deltas: 8 })], hangs)
    .on({})
    .reply([text('The helper was stopped.')]);
}

describe('stopping work', () => {
  test('during a model request closes the connection, marks the runs as cancelled and keeps the usage', async () => {
    const engine = await startEngine(hangingChild());
    const { workflowId } = await engine.send('Go');
    await engine.event('message-delta', (event) => event.agent === 'slow');
    const receipt = await engine.runtime.request('workflow.stop', { workflowId });
    const end = await engine.ended(workflowId);
    expect(receipt).toEqual({
      agents: 2,
      requests: 1,
      tools: 0,
      approvals: 0,
      left: 0,
      ended: [
        { agent: 'lead', place: 0 },
        { agent: 'slow', place: 1 },
      ],
      goOn: [],
      withdrawn: [],
      queued: 0,
    });
    expect(outcomes(end)).toEqual(['cancelled', 'cancelled']);
    const request = engine.model.requests.find(({ seen }) => seen.prompt === 'Take your time.');
    await engine.model.waitFor((one) => one === request && one.closedAt !== null);
    const detail = await engine.runtime.request('workflow.get', { workflowId });
    expect(detail.runs.map(({ status, outcome }) => [status, outcome])).toEqual([
      ['cancelled', 'cancelled'],
      ['cancelled', 'cancelled'],
    ]);
    expect(detail.runs[1]?.usage.inputTokens).toBe(1234);
    expect(detail.requests.find(({ runId }) => runId === detail.runs[1]?.id)).toMatchObject({
      reported: false,
    });
    expect(engine.of('tool-end').map(({ entry }) => entry.status)).toEqual(['cancelled']);
  });

  test('withdraws queued messages with the work before them, and sends none of them to the model later', async () => {
    const script = new Script().on({ asked: /first/ }).reply([text('I begin.', { deltas: 4 })], hangs);
    const engine = await startEngine(script.on({}).reply([text('Done.')]));
    const { workflowId } = await engine.send('first');
    await engine.event('message-delta');
    const queued = [await engine.send('second'), await engine.send('third')].map((sent) => sent.workflowId);
    const [second = '', third = ''] = queued;
    const alone = await engine.runtime.request('workflow.stop', { workflowId: third });
    expect(alone).toMatchObject({ agents: 0, ended: [], withdrawn: [third], queued: 1 });
    const receipt = await engine.runtime.request('workflow.stop', { workflowId, withdrawQueued: true });
    expect(receipt).toMatchObject({ agents: 1, ended: [{ agent: 'lead', place: 0 }], withdrawn: [second], queued: 0 });
    for (const one of queued) expect((await engine.ended(one)).outcome).toBe('cancelled');
    const { workflow } = await engine.runtime.request('workflow.get', { workflowId: second });
    expect(workflow).toMatchObject({ status: 'cancelled', startedAt: null });
    await engine.ask('fourth');
    expect(engine.model.requests).toHaveLength(2);
    expect(JSON.stringify(engine.model.requests.at(-1)?.body.messages)).not.toMatch(/second|third/);
  });

  test('counts the queued messages that a stop leaves, also the one that starts at once', async () => {
    const script = new Script().on({ asked: /first/ }).reply([text('I begin.', { deltas: 4 })], hangs);
    const engine = await startEngine(script.on({}).reply([text('Done.')]));
    const { workflowId } = await engine.send('first');
    await engine.event('message-delta');
    const queued = [await engine.send('second'), await engine.send('third')].map((sent) => sent.workflowId);
    const receipt = await engine.runtime.request('workflow.stop', { workflowId });
    expect(receipt).toMatchObject({ agents: 1, ended: [{ agent: 'lead', place: 0 }], withdrawn: [], queued: 2 });
    for (const one of queued) expect((await engine.ended(one)).outcome).toBe('completed');
  });

  test('names a queued message as withdrawn, and interrupts it if its program was told to end', async () => {
    const script = new Script().on({ asked: /first/ }).reply([text('I begin.', { deltas: 4 })], hangs);
    const engine = await startEngine(script.on({}).reply([text('Done.')]));
    const first = await engine.send('first');
    await engine.event('message-delta');
    const [second, third] = [await engine.send('second'), await engine.send('third')];
    const stop = (workflowId: string, cause: 'person' | 'SIGTERM') =>
      engine.runtime.request('workflow.stop', { workflowId, cause });
    expect(await stop(second.workflowId, 'person')).toMatchObject({ agents: 0, withdrawn: [second.workflowId] });
    expect(await engine.ended(second.workflowId)).toMatchObject({
      outcome: 'cancelled',
      error: { message: 'Withdrawn before it started' },
    });
    const interrupted = await stop(third.workflowId, 'SIGTERM');
    expect(interrupted).toMatchObject({ agents: 0, ended: [], withdrawn: [], queued: 0 });
    expect(await engine.ended(third.workflowId)).toMatchObject({ outcome: 'interrupted' });
    expect(await stop(first.workflowId, 'person')).toMatchObject({ agents: 1, queued: 0 });
  });

  test('for one sub-agent cancels only that run, and the lead gets the partial result', async () => {
    const engine = await start(hangingChild());
    const { workflowId } = await engine.send('Go');
    const delta = await engine.event('message-delta', (event) => event.agent === 'slow');
    const receipt = await engine.runtime.request('run.stop', { runId: delta.runId });
    expect(receipt).toMatchObject({ agents: 1, requests: 1, left: 0, ended: [{ agent: 'slow', place: 1 }] });
    expect(receipt.goOn).toEqual([{ agent: 'lead', place: 0 }]);
    const end = await engine.ended(workflowId);
    expect(outcomes(end)).toEqual(['completed', 'cancelled']);
    const report = outputOf(engine.model.requests.at(-1)?.seen.results[0]?.text);
    expect(report).toMatchObject({ success: false, outcome: 'cancelled', error: 'Stopped by the person' });
    expect(report.report).toContain('I');
  });

  test('during a tool call cancels the call and the workflow', async () => {
    // A search through a pipe-like pattern that a worker chews on until it is stopped.
    const script = new Script().on({ step: 1 }).reply([toolUse('grep', { pattern: '(a+)+$', path: '.' })]);
    script.on({}).reply([text('Done.')]);
    const engine = await startEngine(script, { files: { 'long.txt': `${'a'.repeat(200)}!\n` } });
    const { workflowId } = await engine.send('Search');
    await engine.event('tool-start');
    const receipt = await engine.runtime.request('workflow.stop', { workflowId });
    expect(receipt.left).toBe(0);
    const end = await engine.ended(workflowId);
    expect(end.outcome).toBe('cancelled');
    expect(engine.of('tool-end').map(({ entry }) => entry.status)).toEqual(['cancelled']);
  });

  test('with open approvals cancels those approvals at once and removes them from the attention feed', async () => {
    const engine = await startEngine(threeChildren(), { person: () => null });
    const { workflowId } = await engine.send('Go');
    const seen: number[] = [];
    await engine.runtime.subscribe('attention', { canAnswer: true }, (state) => seen.push(state.questions.length));
    await eventually(() => expect(seen.at(-1)).toBe(3));
    const receipt = await engine.runtime.request('workflow.stop', { workflowId });
    expect(receipt).toMatchObject({ agents: 1, approvals: 3, left: 0 });
    expect(outcomes(await engine.ended(workflowId))).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
    expect(engine.of('approval-decide').map(({ decision }) => decision)).toMatchObject(
      Array.from({ length: 3 }, () => ({ outcome: 'cancelled', allowed: false, decidedBy: 'cancel' })),
    );
    await eventually(() => expect(seen.at(-1)).toBe(0));
    expect(await engine.store.openApprovals()).toEqual([]);
  });

  test('for a sub-agent that waits for a slot cancels that run before its start', async () => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'one', prompt: 'First.' }), spawn({ name: 'two', prompt: 'Second.' })])
      .on(CHILD)
      .reply([text('silent')], { hangAfter: 3 })
      .on({})
      .reply([text('Done.')]);
    const engine = await startEngine(script, { settings: '[limits]\nmax_concurrent = 1\n' });
    const { workflowId } = await engine.send('Go');
    const { runId: first } = await engine.event('message-start', (event) => event.parentRunId !== null);
    // Until its call starts, a sub-agent may still wait for approval.
    await eventually(() => expect(engine.of('tool-start')).toHaveLength(2));
    const { runId = '' } = engine.of('run-queue').find((run) => run.parentRunId !== null && run.runId !== first) ?? {};
    expect(await engine.runtime.request('run.stop', { runId })).toMatchObject({ agents: 1, requests: 0, left: 0 });
    expect(engine.of('run-start').some((run) => run.runId === runId)).toBe(false);
    await engine.runtime.request('workflow.stop', { workflowId });
    expect(outcomes(await engine.ended(workflowId))).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  test('for a sub-agent whose start is not yet approved rejects its approval', async () => {
    const engine = await start(spawnOne(), { person: () => null });
    const { workflowId } = await engine.send('Go');
    await engine.event('approval-request');
    const child = engine.of('run-queue').find(({ kind }) => kind === 'spawn');
    const receipt = await engine.runtime.request('run.stop', { runId: child?.runId ?? '' });
    expect(receipt).toMatchObject({ approvals: 1, ended: [{ place: 1 }], goOn: [{ agent: 'lead', place: 0 }] });
    expect(outcomes(await engine.ended(workflowId))).toEqual(['completed', 'rejected']);
  });

  test('for a queued message cancels that message, and the running workflow completes', async () => {
    const engine = await startEngine(writeFile(), { person: () => null });
    const first = await engine.send('Write');
    await engine.event('approval-request');
    const second = await engine.send('And then');
    expect(second.queued).toBe(true);
    await engine.runtime.request('workflow.stop', { workflowId: second.workflowId });
    expect((await engine.ended(second.workflowId)).outcome).toBe('cancelled');
    const [approval] = engine.of('approval-request');
    await engine.runtime.request('approval.decide', {
      approvalId: approval?.approval.id ?? '',
      answer: { kind: 'allow' },
    });
    expect((await engine.ended(first.workflowId)).outcome).toBe('completed');
  });

  test('for an approved sub-agent prevents its start while the rest of its batch awaits approval', async () => {
    const engine = await start(batch(), { person: () => null });
    const { workflowId } = await engine.send('Go');
    const request = await engine.event('approval-request');
    if (request.approval.subject.kind !== 'envelopes') throw new Error('unexpected');
    const [first] = request.approval.subject.items;
    const approvalId = request.approval.id;
    await engine.runtime.request('approval.decide', { approvalId, item: 0, answer: { kind: 'allow' } });
    expect(await engine.runtime.request('run.stop', { runId: first?.runId ?? '' })).toMatchObject({
      agents: 1,
    });
    await engine.runtime.request('approval.decide', { approvalId, item: 1, answer: { kind: 'allow' } });
    expect(outcomes(await engine.ended(workflowId))).toEqual(['completed', 'cancelled', 'completed']);
    expect(engine.of('run-start').some(({ runId }) => runId === first?.runId)).toBe(false);
  });

  test('for a workflow that has ended is rejected as a conflict', async () => {
    const engine = await startEngine(spawnOne(), { person: yes });
    const end = await engine.ask('Go');
    await expect(engine.runtime.request('workflow.stop', { workflowId: end.workflowId })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  test('for one sub-agent of a batch keeps the results of the others and the partial report', async () => {
    const tasks = ['good', 'bad', 'slow'].map((part) => ({
      agent_id: 'code-reviewer',
      prompt: `Review ${part}.`,
    }));
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([toolUse('parallel_tasks', { operation: 'execute_batch', tasks })])
      .on({ prompt: /Review good/ })
      .reply([text(reportOf('good'))])
      .on({ prompt: /Review bad/ })
      .reply([], { status: 400, error: { type: 'invalid_request_error', message: 'no' } })
      .on({ prompt: /Review slow/ })
      .reply([text('Half a report', { deltas: 8 })], { hangAfter: 6 })
      .on({})
      .reply([text('Done.')]);
    const engine = await startEngine(script);
    const { workflowId } = await engine.send('Go');
    const isSlow = (runId: string): boolean =>
      engine.of('run-queue').some((run) => run.runId === runId && run.task === 'Review slow.');
    const delta = await engine.event('message-delta', (event) => isSlow(event.runId));
    await engine.event('run-end', (event) => event.outcome === 'completed');
    await engine.event('run-end', (event) => event.outcome === 'error');
    await engine.runtime.request('run.stop', { runId: delta.runId });
    const end = await engine.ended(workflowId);
    expect(outcomes(end)).toEqual(['completed', 'completed', 'error', 'cancelled']);
    const output = outputOf(engine.of('tool-end').at(-1)?.entry.output);
    expect(output).toMatchObject({
      success: false,
      completed: 1,
      failed: 2,
      results: [{ success: true }, { success: false }, { success: false, outcome: 'cancelled' }],
    });
    expect(output.results?.[0]?.report).toBe(reportOf('good').trim());
    expect(output.results?.[2]?.report).toContain('Half');
  });
});

test('an approval stays open when its workflow is interrupted, and deciding resumes the workflow', async () => {
  const engine = await start(spawnOne(), { person: () => null });
  const { runtime } = engine;
  const seen: Attention[] = [];
  await runtime.subscribe('attention', { canAnswer: true }, (state) => seen.push(state));
  const { workflowId } = await engine.send('Ask a helper');
  const { approval } = await engine.event('approval-request');
  await runtime.request('workflow.stop', { workflowId, cause: 'SIGTERM' });
  expect(await engine.ended(workflowId)).toMatchObject({
    outcome: 'interrupted',
    error: { code: 'interrupted', message: 'The program was ended (SIGTERM)' },
  });
  await expect.poll(() => seen.at(-1)?.asleep.map(({ request }) => request.id)).toEqual([approval.id]);
  expect(seen.at(-1)?.questions).toEqual([]);
  const { runs } = await runtime.request('workflow.get', { workflowId });
  expect(runs.map(({ outcome }) => outcome)).toEqual(['interrupted', null]);

  await runtime.request('approval.decide', { approvalId: approval.id, item: 0, answer: { kind: 'allow' } });
  const end = await engine.event('workflow-end', ({ outcome }) => outcome !== 'interrupted');
  expect(end).toMatchObject({ workflowId, outcome: 'completed' });
  expect(engine.of('approval-decide')).toHaveLength(1);
});
