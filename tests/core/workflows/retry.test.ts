/** A sub-agent that did not complete is tried again: it goes on where it stopped, and its lead hears of it. */
import { describe, expect, test } from 'vitest';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { eventually } from '../../support/eventually.ts';
import { type Harness, outcomes, startAgain, startEngine } from '../../support/engine.ts';
import { failingChild, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const retry = (engine: Harness, runId: string) => engine.runtime.request('run.retry', { runId });

describe('retrying a sub-agent', () => {
  test('after the end of its workflow repeats no finished request, and the lead answers again', async () => {
    const engine = await start(failingChild());
    const first = await engine.ask('Go');
    expect(outcomes(first)).toEqual(['completed', 'error']);
    const [child] = first.subAgents;
    const runId = child!.runId;
    expect(await retry(engine, runId)).toEqual({ workflowId: first.workflowId });
    await eventually(async () =>
      expect(await engine.store.workflow(first.workflowId)).toMatchObject({
        outcome: 'completed',
        text: 'Now I know all.',
        attempt: 2,
        subAgentCount: 1,
      }),
    );
    const row = await engine.store.run(runId);
    expect(row).toMatchObject({ outcome: 'completed', text: 'All found.', attempt: 2 });
    expect(row?.envelopeHash).toBe(engine.of('run-queue')[1]?.envelopeHash);
    const asked = engine.model.requests.filter(({ seen }) => seen.prompt === 'Find it.');
    expect(asked.map(({ seen }) => seen.turn)).toEqual([1, 2, 2]);
    expect(engine.of('approval-request'), 'its yes still holds').toHaveLength(1);
    const entries = await engine.store.entriesOf(runId);
    expect(entries.flatMap((entry) => (entry.kind === 'system' ? [entry.code] : []))).toEqual(['retried']);
    expect(entries.filter(({ kind }) => kind === 'tool')).toHaveLength(1);
    const end = engine.of('workflow-end').at(-1)!;
    expect(outcomes(end)).toEqual(['completed', 'completed']);
    await expect(retry(engine, runId)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('has completed') as string,
    });
  });

  test('while the lead still works delays the answer of the lead until the new report', async () => {
    const held = new Gate();
    const script = failingChild();
    script.rules.unshift(
      ...new Script().on({ ...LEAD, turn: 2 }).reply([text('It failed.')], { times: 1, hold: held.at(1) }).rules,
    );
    const engine = await startEngine(script);
    const { workflowId } = await engine.send('Go');
    await engine.event('run-end', (event) => event.agent === 'finder');
    await engine.model.waitFor(({ seen }) => seen.tools.includes('spawn_agent') && seen.turn === 2);
    const { runId } = engine.of('run-end')[0]!;
    await retry(engine, runId);
    held.open();
    const end = await engine.ended(workflowId);
    expect(end.text).toBe('Now I know all.');
    expect(outcomes(end)).toEqual(['completed', 'completed']);
    expect(engine.of('workflow-start'), 'the same attempt').toHaveLength(1);
  });

  test('is rejected for a sub-agent of the real provider while the demo is active', async () => {
    const held = new Gate();
    const script = failingChild();
    script.rules.unshift(
      ...new Script().on({ ...LEAD, turn: 2 }).reply([text('It failed.')], { times: 1, hold: held.at(1) }).rules,
    );
    const engine = await startEngine(script);
    const { workflowId } = await engine.send('Go');
    await engine.event('run-end', (event) => event.agent === 'finder');
    await engine.model.waitFor(({ seen }) => seen.tools.includes('spawn_agent') && seen.turn === 2);
    const asked = engine.model.requests.length;
    await engine.runtime.request('settings.set', { path: 'providers.active', value: 'demo' });
    const { runId } = engine.of('run-end')[0]!;
    await expect(retry(engine, runId)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('The demo is on') as string,
    });
    held.open();
    expect(outcomes(await engine.ended(workflowId))).toEqual(['completed', 'error']);
    expect(engine.model.requests).toHaveLength(asked);
  });

  test('runs a demo sub-agent with the demo again although the real provider is active', async () => {
    const engine = await startEngine(new Script(), { settings: '[providers]\nactive = "demo"\n' });
    const { workflowId } = await engine.send('What is this?');
    const start = await engine.event('run-start', ({ parentRunId }) => parentRunId !== null);
    await engine.runtime.request('run.stop', { runId: start.runId });
    await engine.ended(workflowId);
    await engine.runtime.request('settings.set', { path: 'providers.active', value: 'anthropic' });
    await retry(engine, start.runId);
    await eventually(async () =>
      expect(await engine.store.workflow(workflowId)).toMatchObject({ outcome: 'completed', attempt: 2 }),
    );
    expect(await engine.store.run(start.runId)).toMatchObject({ outcome: 'completed', attempt: 2 });
    expect(engine.model.requests, 'the real one was asked for nothing').toEqual([]);
  });

  test('twice concurrently starts one attempt and rejects the other request', async () => {
    const engine = await startEngine(failingChild());
    const first = await engine.ask('Go');
    const { runId } = first.subAgents[0]!;
    const results = await Promise.allSettled([retry(engine, runId), retry(engine, runId)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'conflict' },
    });
    await eventually(async () =>
      expect(await engine.store.workflow(first.workflowId)).toMatchObject({
        outcome: 'completed',
        attempt: 2,
      }),
    );
    expect((await engine.store.run(runId))?.attempt).toBe(2);
  });

  test('continues an answer that was cut off', async () => {
    const script = new Script()
      .on({ ...LEAD, asked: /Report of the sub-agent/ })
      .reply([text('Whole now.')])
      .on({ ...LEAD, turn: 1 })
      .reply([spawn({ name: 'writer', prompt: 'Write.' })])
      .on(LEAD)
      .reply([text('It is cut off.')])
      .on({ asked: /last answer was not complete/ })
      .reply([text('The whole report.')])
      .on({})
      .reply([text('The first half')], { stopReason: 'max_tokens' });
    const engine = await startEngine(script);
    const first = await engine.ask('Go');
    expect(outcomes(first)).toEqual(['completed', 'partial']);
    await retry(engine, first.subAgents[0]!.runId);
    await eventually(async () =>
      expect(await engine.store.workflow(first.workflowId)).toMatchObject({ text: 'Whole now.' }),
    );
  });

  test('works for a sub-agent that the person stopped, without sending the cut text back', async () => {
    const script = new Script()
      .on({ ...LEAD, asked: /Report of the sub-agent/ })
      .reply([text('It came after all.')])
      .on({ ...LEAD, turn: 1 })
      .reply([spawn({ name: 'slow', prompt: 'Slowly.' })])
      .on(LEAD)
      .reply([text('It was stopped.')])
      .on({})
      .reply([text('I begin')], { hangAfter: 3, times: 1 })
      .on({})
      .reply([text('Done after all.')]);
    const engine = await startEngine(script);
    const { workflowId } = await engine.send('Go');
    const delta = await engine.event('message-start', (event) => event.agent === 'slow');
    await engine.runtime.request('run.stop', { runId: delta.runId });
    expect(outcomes(await engine.ended(workflowId))).toEqual(['completed', 'cancelled']);
    await retry(engine, delta.runId);
    await eventually(async () =>
      expect(await engine.store.workflow(workflowId)).toMatchObject({ text: 'It came after all.' }),
    );
    const [again] = engine.model.requests.filter(({ seen }) => seen.prompt === 'Slowly.').slice(1);
    expect(JSON.stringify(again?.body.messages), 'cut words are not sent back').not.toContain('I begin');
  });

  test('continues after a restart and hands the report over once', async () => {
    const store = await memoryStore();
    const script = failingChild();
    script.rules.splice(
      -1,
      0,
      ...new Script().on({ turn: 2 }).reply([text('Almost')], { hangAfter: 3, times: 1 }).rules,
    );
    const engine = await startEngine(script, { store: lasting(store) });
    const first = await engine.ask('Go');
    const { runId } = first.subAgents[0]!;
    await retry(engine, runId);
    await engine.event('message-delta', (event) => event.text.startsWith('A'));
    await engine.runtime.close();
    expect(await store.run(runId)).toMatchObject({ outcome: 'interrupted', attempt: 2 });
    const again = await startAgain(engine, store);
    await again.request('workflow.resume', { workflowId: first.workflowId });
    await eventually(async () =>
      expect(await store.workflow(first.workflowId)).toMatchObject({
        outcome: 'completed',
        text: 'Now I know all.',
        attempt: 3,
      }),
    );
    expect(await store.run(runId)).toMatchObject({ outcome: 'completed', text: 'All found.', attempt: 3 });
    const handed = (await store.entriesOf(first.runId)).filter(
      (entry) => entry.kind === 'user' && entry.reportsOf?.includes(runId),
    );
    expect(handed).toHaveLength(1);
  });

  test('is rejected for a lead, for a sub-agent that was never approved and for a running sub-agent', async () => {
    const script = new Script()
      .on({ ...LEAD, turn: 1 })
      .reply([spawn({ name: 'no', prompt: 'No.' }), spawn({ name: 'runs', prompt: 'Run.' })])
      .on({ prompt: /Run/ })
      .reply([text('x')], { hangAfter: 2 })
      .on({})
      .reply([text('Done.')]);
    const engine = await start(script, {
      person: ({ request }) => (request.title.includes(' no ') ? { kind: 'reject', reason: 'no' } : { kind: 'allow' }),
    });
    const { workflowId, runId: lead } = await engine.send('Go');
    await engine.event('message-start', (event) => event.agent === 'runs');
    await engine.event('run-end', (event) => event.agent === 'no');
    const refused = async (runId: string, why: RegExp): Promise<void> => {
      await expect(retry(engine, runId)).rejects.toMatchObject({ code: 'conflict' });
      await expect(retry(engine, runId)).rejects.toThrow(why);
    };
    const runs = await engine.store.runsOf([workflowId]);
    await refused(lead, /only a sub-agent/);
    await refused(runs.find(({ agent }) => agent === 'no')!.id, /never approved/);
    await refused(runs.find(({ agent }) => agent === 'runs')!.id, /running/);
    await engine.runtime.request('workflow.stop', { workflowId });
  });
});
