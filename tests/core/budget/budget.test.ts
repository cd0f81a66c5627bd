/** Budgets: checked before each request, for a run and for its whole workflow; at the limit one last request asks for the report. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { outcomes, outputOf, startEngine, yes } from '../../support/engine.ts';
import { LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

const usage = { input: 100, output: 20 };
const LAST = /You have no tools any more/;

/** Calls a tool for ever, and reports when it is told to. */
function busy(): Script {
  let turn = 0;
  return new Script()
    .on({ lastUser: LAST })
    .reply([text('What I have so far.')], { usage })
    .on({})
    .reply(() => [toolUse('glob', { pattern: `*${(turn += 1)}` })], { usage });
}

function remarks(events: readonly AgentEvent[]) {
  return events.flatMap((event) =>
    event.type === 'message-end' && event.entry.kind === 'system' ? [event.entry] : [],
  );
}

describe('the budget of a run', () => {
  test('tokens: the size of the last request is reckoned with before the next one', async () => {
    const engine = await startEngine(busy(), { settings: '[limits.run]\nmax_tokens = 400\n' });
    const end = await engine.ask('Go');
    // Three requests used 360; a fourth of the same input would be too much.
    expect(engine.model.requests).toHaveLength(4);
    expect(engine.model.requests[3]?.body).toMatchObject({ tool_choice: { type: 'none' } });
    expect(end).toMatchObject({
      outcome: 'budget_exceeded',
      text: 'What I have so far.',
      error: { code: 'limit_reached', message: expect.stringContaining('400 tokens') as string },
    });
    expect(remarks(engine.events)).toMatchObject([
      { code: 'budget', bound: { of: 'run', name: 'tokens', value: 400 } },
    ]);
    const { runs, workflow } = await engine.runtime.request('workflow.get', { workflowId: end.workflowId });
    expect(runs[0]).toMatchObject({ outcome: 'budget_exceeded', usage: { requests: 4 } });
    expect(runs[0]?.envelope.limits.budget).toEqual({ tokens: 400 });
    expect(workflow).toMatchObject({ status: 'error', outcome: 'budget_exceeded' });
    expect(workflow.budget ?? null).toBeNull();
  });

  test('cost, where the price is known', async () => {
    const engine = await startEngine(busy(), { settings: '[limits.run]\nmax_cost_usd = 0.0000001\n' });
    const end = await engine.ask('Go');
    expect(end.error?.message).toMatch(/limit of \$0\.0000001 was reached/);
    expect(engine.model.requests).toHaveLength(2);
    expect(engine.of('notice')).toEqual([]);
  });

  test('cost, where the price is not known: said once, and nothing is guessed', async () => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'a', prompt: 'Do a.' }), spawn({ name: 'b', prompt: 'Do b.' })])
      .on({})
      .reply([text('Done.')]);
    const engine = await startEngine(script, {
      settings: '[models]\ndefault = "model-of-mine-1"\n[limits.run]\nmax_cost_usd = 0.0000001\n',
    });
    expect((await engine.ask('Go')).outcome).toBe('completed');
    expect(engine.of('notice').map((notice) => notice.text)).toEqual([
      expect.stringMatching(/price of model-of-mine-1 is not known.*limit on cost cannot be checked/),
    ]);
  });

  test('minutes: working time counts, waiting for the person does not', async () => {
    const settings = '[limits.run]\nmax_minutes = 0.01\n';
    const waiting = new Script()
      .on({ step: 1 })
      .reply([toolUse('write_file', { path: 'a.txt', content: 'a' })])
      .on({})
      .reply([text('Written.')]);
    const patient = await startEngine(waiting, { settings, person: () => null });
    const sent = await patient.send('Write');
    const asked = await patient.event('approval-request');
    await sleep(900);
    await patient.runtime.request('approval.decide', {
      approvalId: asked.approval.id,
      answer: { kind: 'allow' },
    });
    expect((await patient.ended(sent.workflowId)).outcome).toBe('completed');

    const slow = new Script()
      .on({ lastUser: LAST })
      .reply([text('Out of time.')])
      .on({})
      .reply([toolUse('glob', { pattern: '*' })], { firstTokenMs: 700 });
    const engine = await startEngine(slow, { settings });
    const end = await engine.ask('Go');
    expect(end).toMatchObject({ outcome: 'budget_exceeded', text: 'Out of time.' });
    const row = await engine.store.workflow(end.workflowId);
    expect(row?.workedMs).toBeGreaterThanOrEqual(600);
  });

  test('a sub-agent has the bounds of its lead at most, and an edit cannot go beyond them', async () => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'helper', prompt: 'Help.' })])
      .on({})
      .reply([text('Done.')]);
    const settings = '[limits.run]\nmax_tokens = 9000\nmax_minutes = 5\n';
    const engine = await startEngine(script, { settings, person: () => null });
    const { workflowId } = await engine.send('Go');
    const asked = await engine.event('approval-request');
    if (asked.approval.subject.kind !== 'envelopes') throw new Error('no question');
    const { id, subject } = asked.approval;
    const envelope = subject.items[0]!.envelope;
    expect(envelope.limits.budget).toEqual({ tokens: 9000, minutes: 5 });
    const edit = (budget: object) => {
      const value = { ...envelope, limits: { ...envelope.limits, budget } };
      return engine.runtime.request('approval.decide', {
        approvalId: id,
        answer: { kind: 'edit', value },
      });
    };
    await expect(edit({ tokens: 9001, minutes: 5 })).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(edit({ tokens: 100 })).rejects.toMatchObject({ code: 'not_allowed' });
    const longer = { ...envelope, maxTokens: envelope.maxTokens + 1 };
    await expect(
      engine.runtime.request('approval.decide', {
        approvalId: id,
        answer: { kind: 'edit', value: longer },
      }),
    ).rejects.toMatchObject({ code: 'not_allowed' });
    const decision = await edit({ tokens: 5000, minutes: 5, costUsd: 1 });
    expect(decision).toMatchObject({ outcome: 'edited', allowed: true });
    expect((await engine.ended(workflowId)).outcome).toBe('completed');
    const [, child] = await engine.store.runsOf([workflowId]);
    expect(child?.envelope.limits.budget).toEqual({ tokens: 5000, minutes: 5, costUsd: 1 });
    expect(child?.envelopeHash).toBe(decision.hashAfter);
  });
});

describe('the budget of a workflow', () => {
  test('counts all of its runs together, those that work at the same time too', async () => {
    const names = ['a', 'b', 'c'];
    const script = new Script()
      .on({ lastUser: LAST, tools: ['spawn_agent'] })
      .reply([text('The reports are short.')], { usage })
      .on({ lastUser: LAST })
      .reply([text('A short report.')], { usage })
      .on({ ...LEAD, step: 1 })
      .reply(
        names.map((name) => spawn({ name, prompt: `Do ${name}.` })),
        { usage },
      )
      .on({})
      .reply((seen) => [toolUse('glob', { pattern: `${seen.prompt}${seen.turn}` })], { usage });
    const engine = await startEngine(script, { settings: '[limits.workflow]\nmax_tokens = 1000\n' });
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(Array.from({ length: 4 }, () => 'budget_exceeded'));
    // Ordinary requests stop before the bound; each of the four runs has one last request after it.
    expect(engine.model.requests.filter(({ body }) => body.tool_choice?.type !== 'none').length * 120).toBeLessThan(
      1000,
    );
    expect(engine.model.requests.filter(({ body }) => body.tool_choice?.type === 'none')).toHaveLength(4);
    expect(engine.of('workflow-start')[0]?.budget).toEqual({ tokens: 1000 });
    expect(await engine.store.workflow(end.workflowId)).toMatchObject({ budget: { tokens: 1000 } });
    const handed = engine.of('tool-end').filter(({ entry }) => entry.name === 'spawn_agent');
    expect(handed.map(({ entry }) => outputOf(entry.output))).toMatchObject(
      names.map(() => ({ success: false, outcome: 'budget_exceeded', report: 'A short report.' })),
    );
    expect(end.text).toBe('The reports are short.');
  });

  test('iterations of all runs', async () => {
    const engine = await startEngine(busy(), { settings: '[limits.workflow]\nmax_iterations = 2\n' });
    const end = await engine.ask('Go');
    expect(end).toMatchObject({ outcome: 'budget_exceeded', error: { code: 'max_iterations' } });
    expect(end.error?.message).toMatch(/2 iterations for the whole workflow/);
    expect(engine.model.requests).toHaveLength(3);
  });

  test('without any setting there is no budget in the envelope, the event or the row', async () => {
    const engine = await startEngine(new Script().on({}).reply([text('Hi.')]), { person: yes });
    const end = await engine.ask('Go');
    expect(engine.of('workflow-start')[0]).not.toHaveProperty('budget');
    expect(engine.of('run-queue')[0]?.envelope.limits).toEqual({ maxIterations: 20, inactivityMs: 300_000 });
    expect((await engine.store.workflow(end.workflowId))?.budget ?? null).toBeNull();
  });
});
