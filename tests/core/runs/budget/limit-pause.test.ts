/** A run at its limit waits for the person: it goes on with more, finishes or stops, and nothing else answers for them. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Harness,
  type HarnessOptions,
  outcomes,
  startAgain,
  startEngine,
  talkIn,
  yes,
} from '../../../support/engine.ts';
import { answering, settingsOf } from '../../../support/compose.ts';
import { liveUntil } from '../../../support/crash.ts';
import { LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { startFakeModel } from '../../../support/fake-model/server.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { lasting, memoryStore } from '../../../support/stores/pooled.ts';
import { folderWith } from '../../../support/workspace.ts';

const usage = { input: 100, output: 20 };
const LAST = /You have no tools any more/;
const TWO = '[limits.workflow]\nmax_iterations = 2\n';

/** Reads one file in each of `turns` requests, then answers. */
function scriptReads(turns: number): Script {
  return new Script()
    .on({ lastUser: LAST })
    .reply([text('Half of it.')], { usage })
    .on({ turn: turns + 1 })
    .reply([text('All of it.')], { usage })
    .on({})
    .reply(({ turn }) => [toolUse('read_file', { path: 'README.md', limit: turn })], { usage });
}

const limitQuestions = (engine: Harness) =>
  engine.of('approval-request').filter(({ approval }) => approval.subject.kind === 'limit');

/** An engine whose lead waits at its limit. */
async function startAtLimit(script: Script, options: HarnessOptions = {}) {
  const engine = await startEngine(script, { settings: TWO, atLimit: () => null, ...options });
  const sent = await engine.send('Go');
  const { approval } = await engine.event('approval-request', (event) => event.approval.subject.kind === 'limit');
  return { engine, approval, ...sent };
}

describe('a run that waits at its limit, with a client that can answer', () => {
  test('goes on with the default amount when the limit is extended, without repeating a request', async () => {
    const { engine, approval, workflowId } = await startAtLimit(scriptReads(3));
    expect(approval).toMatchObject({
      title: 'This workflow reached its limit of 2 turns',
      subject: { kind: 'limit', bound: { of: 'workflow', name: 'iterations', value: 2 }, add: { iterations: 2 } },
    });
    expect(engine.model.requests).toHaveLength(2);
    await engine.runtime.request('approval.decide', { approvalId: approval.id, answer: { kind: 'allow' } });
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed', text: 'All of it.' });
    expect(engine.model.requests).toHaveLength(4);
    expect(engine.of('limit-change')).toMatchObject([{ of: 'workflow', limits: { iterations: 4, costUsd: 10 } }]);
    expect((await engine.store.workflow(workflowId))?.budget).toEqual({ iterations: 4, costUsd: 10 });
    // The model is not told of a limit that never stopped it.
    const codes = engine.of('message-end').flatMap(({ entry }) => (entry.kind === 'system' ? [entry.code] : []));
    expect(codes).toEqual([]);
  });

  test('goes on with the amount entered by the person', async () => {
    const { engine, approval, workflowId } = await startAtLimit(scriptReads(7));
    const extend = (value: unknown) =>
      engine.runtime.request('approval.decide', { approvalId: approval.id, answer: { kind: 'edit', value } });
    for (const wrong of [{}, { iterations: 0 }, { tokens: 5 }, 'more'])
      await expect(extend(wrong)).rejects.toMatchObject({ code: 'bad_input' });
    await extend({ iterations: 6 });
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed' });
    expect(engine.of('limit-change')).toMatchObject([{ limits: { iterations: 8 } }]);
  });

  test('finishes with one last request when the person rejects an extension', async () => {
    const { engine, approval, workflowId } = await startAtLimit(scriptReads(9));
    const answer = { kind: 'reject', reason: '' } as const;
    await engine.runtime.request('approval.decide', { approvalId: approval.id, answer });
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'budget_exceeded', text: 'Half of it.' });
    expect(engine.model.requests).toHaveLength(3);
    expect(engine.model.requests[2]?.body.tool_choice?.type).toBe('none');
  });

  test('ends without another request when the run is stopped', async () => {
    const { engine, approval, workflowId } = await startAtLimit(scriptReads(9));
    await engine.runtime.request('run.stop', { runId: approval.runId });
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'cancelled' });
    expect(engine.model.requests).toHaveLength(2);
    expect(engine.of('approval-decide')).toMatchObject([{ decision: { decidedBy: 'cancel', allowed: false } }]);
  });

  test('goes on when the limit is extended elsewhere', async () => {
    const { engine, workflowId } = await startAtLimit(scriptReads(3));
    const seen = (await engine.store.workflow(workflowId))?.budget ?? {};
    await engine.runtime.request('workflow.extend', { workflowId, add: { iterations: 9 }, seen });
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed' });
    expect(engine.of('approval-decide')).toMatchObject([{ decision: { outcome: 'cancelled' } }]);
  });

  test('does not count the waiting time as working time', async () => {
    const { engine, approval, workflowId } = await startAtLimit(scriptReads(3));
    await new Promise((resolve) => setTimeout(resolve, 1300));
    await engine.runtime.request('approval.decide', { approvalId: approval.id, answer: { kind: 'allow' } });
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed' });
    const [{ durationMs, worked } = { durationMs: 0, worked: undefined }] = engine.of('run-end');
    expect(durationMs - (worked?.runMs ?? 0)).toBeGreaterThan(1200);
    expect(durationMs - (worked?.workflowMs ?? 0)).toBeGreaterThan(1200);
  });
});

/** A lead with three sub-agents, each of which reads twice and reports. */
function scriptThreeAgents(): Script {
  const names = ['a', 'b', 'c'];
  return new Script()
    .on({ lastUser: LAST })
    .reply([text('A short report.')], { usage })
    .on({ ...LEAD, step: 1 })
    .reply(
      names.map((name) => spawn({ name, prompt: `Do ${name}.` })),
      { usage },
    )
    .on(LEAD)
    .reply([text('All three are done.')], { usage })
    .on({ turn: 3 })
    .reply([text('A whole report.')], { usage })
    .on({})
    .reply(({ turn }) => [toolUse('read_file', { path: 'README.md', limit: turn })], { usage });
}

describe('a limit of the workflow that three sub-agents reach', () => {
  const settings = '[limits.workflow]\nmax_iterations = 4\n';

  test('asks the person once, and an extension lets all sub-agents go on', async () => {
    const { engine, approval, workflowId, runId } = await startAtLimit(scriptThreeAgents(), { settings });
    expect(approval).toMatchObject({ runId, agent: 'lead' });
    await engine.runtime.request('approval.decide', {
      approvalId: approval.id,
      answer: { kind: 'edit', value: { iterations: 40 } },
    });
    expect(outcomes(await engine.ended(workflowId))).toEqual(Array.from({ length: 4 }, () => 'completed'));
    expect(limitQuestions(engine)).toHaveLength(1);
    expect(engine.model.requests).toHaveLength(11);
  });

  test('asks the person once, and "finish" applies to all sub-agents', async () => {
    const { engine, approval, workflowId } = await startAtLimit(scriptThreeAgents(), { settings });
    const answer = { kind: 'reject', reason: '' } as const;
    await engine.runtime.request('approval.decide', { approvalId: approval.id, answer });
    expect(outcomes(await engine.ended(workflowId))).toEqual(Array.from({ length: 4 }, () => 'budget_exceeded'));
    expect(limitQuestions(engine)).toHaveLength(1);
  });
});

describe('only the person answers the question about a limit', () => {
  test('a sub-agent at its own limit waits, and its siblings go on', async () => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'slow', prompt: 'Slow.' }), spawn({ name: 'quick', prompt: 'Quick.' })], { usage })
      .on({ ...LEAD })
      .reply([text('Done.')], { usage })
      .on({ asked: /Quick/ })
      .reply([text('Quick report.')], { usage })
      .on({ turn: 3 })
      .reply([text('Slow report.')], { usage })
      .on({})
      .reply(({ turn }) => [toolUse('read_file', { path: 'README.md', limit: turn })], { usage });
    const { engine, approval, workflowId } = await startAtLimit(script, {
      settings: '[limits.run]\nmax_iterations = 2\n',
    });
    expect(approval).toMatchObject({ title: 'slow reached its limit of 2 turns', agent: 'slow' });
    await engine.event('run-end', ({ agent }) => agent === 'quick');
    await engine.runtime.request('approval.decide', { approvalId: approval.id, answer: { kind: 'allow' } });
    expect(outcomes(await engine.ended(workflowId))).toEqual(['completed', 'completed', 'completed']);
    expect(engine.of('limit-change')).toMatchObject([{ of: 'run', limits: { iterations: 4, costUsd: 2 } }]);
  });

  test('does not extend a limit by time, rules or the mode', { timeout: 30_000 }, async () => {
    const rules = '[[permissions.rules]]\neffect = "allow"\ntool = "*"\n';
    const settings = `${TWO}[limits]\napproval_seconds = 1\n[approvals]\non_timeout = "approve"\n[permissions]\nmode = "auto"\n${rules}`;
    const { engine, approval, workflowId } = await startAtLimit(scriptReads(3), { settings });
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(engine.of('approval-decide')).toEqual([]);
    await engine.runtime.request('approval.decide', { approvalId: approval.id, answer: { kind: 'allow' } });
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed' });
  });

  test.for(['all', 'none'] as const)(
    'a workflow whose questions are answered "%s" finishes at once',
    async (approve) => {
      const engine = await startEngine(scriptReads(9), { settings: TWO, atLimit: yes });
      expect(await engine.ask('Go', approve)).toMatchObject({ outcome: 'budget_exceeded', text: 'Half of it.' });
      expect(limitQuestions(engine)).toEqual([]);
    },
  );
});

describe('a retry that would exceed the limit', () => {
  test('waits for the person after a response that broke off', async () => {
    const script = new Script()
      .on({})
      .reply([text('Words that are cut off before their end', { deltas: 8 })], { cutAfter: 6, usage, times: 1 })
      .on({})
      .reply([text('Now whole.')], { usage });
    const { engine, approval, workflowId } = await startAtLimit(script, {
      settings: '[limits.workflow]\nmax_tokens = 150\n',
    });
    expect(engine.model.requests).toHaveLength(1);
    await engine.runtime.request('approval.decide', {
      approvalId: approval.id,
      answer: { kind: 'edit', value: { tokens: 900 } },
    });
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed', text: 'Now whole.' });
  });
});

test('a run ends at a limit of time without a question', async () => {
  const engine = await startEngine(scriptReads(9), {
    settings: '[limits.workflow]\nmax_minutes = 0.0000001\n',
    atLimit: yes,
  });
  expect(await engine.ask('Go')).toMatchObject({ outcome: 'timed_out' });
  expect(limitQuestions(engine)).toEqual([]);
});

describe('without a client that can answer', () => {
  test('a run finishes at its limit with one last request', async () => {
    const store = await memoryStore();
    const engine = await startEngine(scriptReads(9), { store: lasting(store) });
    await engine.runtime.close();
    const again = await startAgain(engine, store, { settings: settingsOf(TWO) });
    const talk = await talkIn(again, engine.conversationId);
    expect(await talk.ask('Go')).toMatchObject({ outcome: 'budget_exceeded', text: 'Half of it.' });
    expect(talk.of('approval-request')).toEqual([]);
  });
});

describe('a run that waits when the program ends', () => {
  test('keeps its question open, and an extension resumes the workflow', async () => {
    const store = await memoryStore();
    const { engine, approval, workflowId } = await startAtLimit(scriptReads(3), { store: lasting(store) });
    await engine.runtime.close();
    const again = await startAgain(engine, store, { settings: settingsOf(TWO) });
    const talk = await talkIn(again, engine.conversationId);
    const { approvals } = await again.request('workflow.get', { workflowId });
    expect(approvals).toMatchObject([{ request: { id: approval.id }, decisions: [null] }]);
    // The answer to the question resumes the workflow.
    await again.request('approval.decide', { approvalId: approval.id, answer: { kind: 'allow' } });
    expect(await talk.ended(workflowId)).toMatchObject({ outcome: 'completed', text: 'All of it.' });
    expect(engine.model.requests).toHaveLength(4);
    expect(talk.of('approval-request')).toEqual([]);
  });

  test('survives kill -9 while it waits', { timeout: 60_000 }, async () => {
    const folder = await folderWith({ 'README.md': '# A workspace\n' });
    const model = await startFakeModel(scriptReads(9));
    onTestFinished(() => model.close());
    const resume = await liveUntil('approval-request', {
      data: join(folder, 'store'),
      folder,
      url: model.url,
      settings: TWO,
    });
    expect(model.requests).toHaveLength(2);
    const { end, events } = await resume();
    expect(end).toMatchObject({ outcome: 'budget_exceeded', text: 'Half of it.' });
    expect(model.requests).toHaveLength(3);
    const asked = events.filter(({ type }) => type === 'approval-request' || type === 'approval-decide');
    expect(asked.map(({ type }) => type)).toEqual(['approval-request', 'approval-decide']);
  });

  test('does not ask the lead again if the person let all runs finish', async () => {
    const store = await memoryStore();
    const script = new Script()
      .on({ lastUser: LAST })
      .reply([text('A short', { deltas: 8 })], { hangAfter: 3, usage, times: 3 });
    script.rules.push(...scriptThreeAgents().rules);
    const settings = '[limits.workflow]\nmax_iterations = 4\n';
    const { engine, approval, workflowId } = await startAtLimit(script, { store: lasting(store), settings });
    const answer = { kind: 'reject', reason: '' } as const;
    await engine.runtime.request('approval.decide', { approvalId: approval.id, answer });
    await expect.poll(() => engine.model.requests.length).toBe(7);
    await engine.runtime.close();
    const again = await startAgain(engine, store, { settings: settingsOf(settings) });
    await answering(again, yes, { atLimit: yes });
    const talk = await talkIn(again, engine.conversationId);
    await again.request('workflow.resume', { workflowId });
    expect(await talk.ended(workflowId)).toMatchObject({ outcome: 'budget_exceeded', text: 'A short report.' });
    expect(talk.of('approval-request')).toEqual([]);
  });

  test('does not ask again if the limit was extended meanwhile', async () => {
    const store = await memoryStore();
    const { engine, approval, workflowId } = await startAtLimit(scriptReads(3), { store: lasting(store) });
    await engine.runtime.close();
    const again = await startAgain(engine, store, { settings: settingsOf(TWO) });
    const talk = await talkIn(again, engine.conversationId);
    const seen = (await store.workflow(workflowId))?.budget ?? {};
    await again.request('workflow.extend', { workflowId, add: { iterations: 9 }, seen });
    await again.request('workflow.resume', { workflowId });
    expect(await talk.ended(workflowId)).toMatchObject({ outcome: 'completed' });
    const { approvals } = await again.request('workflow.get', { workflowId });
    expect(approvals).toMatchObject([{ request: { id: approval.id }, decisions: [{ outcome: 'cancelled' }] }]);
  });
});
