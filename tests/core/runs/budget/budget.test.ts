/** Budgets: checked before each request, for a run and for its whole workflow; at the limit one last request asks for the report. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_WORKFLOW_LIMITS } from '#contract/limits.ts';
import type { AgentEvent } from '#contract/event.ts';
import type { Person } from '../../../support/compose.ts';
import { outcomes, outputOf, startEngine } from '../../../support/engine.ts';
import { LEAD, plainAnswer, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';

const usage = { input: 100, output: 20 };
const LAST = /You have no tools any more/;

/** Calls a tool for ever, and reports when it is told to. */
function busy(): Script {
  let turn = 0;
  return new Script()
    .on({ lastUser: LAST })
    .reply([text('What I have so far.')], { usage })
    .on({})
    .reply(() => [toolUse('read_file', { path: 'README.md', limit: (turn += 1) })], { usage });
}

function remarks(events: readonly AgentEvent[]) {
  return events.flatMap((event) =>
    event.type === 'message-end' && event.entry.kind === 'system' ? [event.entry] : [],
  );
}

describe('the budget of a run', () => {
  test('tokens: stops before a request that would exceed the limit, judged by the size of the last request', async () => {
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
  });

  test('cost: stops at the limit if the price is known', async () => {
    const engine = await startEngine(busy(), { settings: '[limits.run]\nmax_cost_usd = 0.0000001\n' });
    const end = await engine.ask('Go');
    expect(end.error?.message).toMatch(/limit of \$0\.0000001 was reached/);
    expect(engine.model.requests).toHaveLength(2);
    expect(engine.of('notice')).toEqual([]);
  });

  test('cost: warns once if the price is unknown, and does not limit the run', async () => {
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
      expect.stringMatching(/price of model-of-mine-1 is not known.*limit on cost cannot be checked.*\/prices\.toml/),
    ]);
  });

  test('cost: uses a price listed by the person and records the list with its date', async () => {
    const prices =
      'version = "2027-02-03"\n[models.model-of-mine-1]\ninput = 1\noutput = 1\ncache_read = 1\ncache_write_5m = 1\n';
    const engine = await startEngine(busy(), {
      settings: '[models]\ndefault = "model-of-mine-1"\n[limits.run]\nmax_cost_usd = 0.0000001\n',
      files: { 'prices.toml': prices },
    });
    expect(await engine.ask('Go')).toMatchObject({ outcome: 'budget_exceeded' });
    expect(engine.model.requests).toHaveLength(2);
    expect(engine.of('notice')).toEqual([]);
    expect(engine.of('usage')[0]?.request.priceVersion).toBe('prices.toml 2027-02-03');
  });

  test('cost: warns if some prices are missing, before the request or after the first use', async () => {
    const listed = (prices: string) => `version = "2027-02-03"\n[models.model-of-mine-1]\n${prices}\n`;
    const settings = '[models]\ndefault = "model-of-mine-1"\n[limits.workflow]\nmax_cost_usd = 9\n';
    const words = /Some prices of model-of-mine-1 are not known.*limit on cost cannot be checked.*complete it in/;
    const half = await startEngine(plainAnswer(), { settings, files: { 'prices.toml': listed('input = 1') } });
    await half.ask('Go');
    const [notice, usage] = half.durable().filter(({ type }) => type === 'notice' || type === 'usage');
    expect([notice?.type, usage?.type]).toEqual(['notice', 'usage']);
    const cached = new Script().on({}).reply([text('Done.')], { usage: { cacheRead: 7 } });
    const late = await startEngine(cached, { settings, files: { 'prices.toml': listed('input = 1\noutput = 1') } });
    await late.ask('Go');
    for (const engine of [half, late])
      expect(engine.of('notice')).toMatchObject([{ level: 'warning', text: expect.stringMatching(words) as string }]);
  });

  test('cost: warns that the limit of a sub-agent cannot be checked when the sub-agent starts', async () => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'a', prompt: 'Do a.' })])
      .on({})
      .reply([text('Done.')]);
    const person: Person = ({ request: { subject } }, item) => {
      const envelope = subject.kind === 'envelopes' ? subject.items[item]?.envelope : undefined;
      if (!envelope) return { kind: 'allow' };
      return { kind: 'edit', value: { ...envelope, limits: { ...envelope.limits, budget: { costUsd: 1 } } } };
    };
    const engine = await startEngine(script, { settings: '[models]\ndefault = "model-of-mine-1"\n', person });
    await engine.ask('Go');
    const limited = engine.of('notice').map(({ text: words }) => words.includes('limit on cost cannot be checked'));
    expect(limited).toEqual([false, true]);
  });

  test('an edit of a sub-agent cannot exceed the settings or the model, except for time', async () => {
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
    expect(envelope.limits.budget).toEqual({ tokens: 9000, costUsd: 2, minutes: 5 });
    const edit = (budget: object) => {
      const value = { ...envelope, limits: { ...envelope.limits, budget } };
      return engine.runtime.request('approval.decide', {
        approvalId: id,
        answer: { kind: 'edit', value },
      });
    };
    await expect(edit({ tokens: 9001, minutes: 5 })).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(edit({ minutes: 5 })).rejects.toMatchObject({ code: 'not_allowed' });
    const longer = { ...envelope, maxTokens: 128_001 };
    await expect(
      engine.runtime.request('approval.decide', {
        approvalId: id,
        answer: { kind: 'edit', value: longer },
      }),
    ).rejects.toMatchObject({ code: 'not_allowed' });
    const decision = await edit({ tokens: 5000, minutes: 6, costUsd: 1 });
    expect(decision).toMatchObject({ outcome: 'edited', allowed: true });
    expect((await engine.ended(workflowId)).outcome).toBe('completed');
    const [, child] = await engine.store.runsOf([workflowId]);
    expect(child?.envelope.limits.budget).toEqual({ tokens: 5000, minutes: 6, costUsd: 1 });
    expect(child?.envelopeHash).toBe(decision.hashAfter);
  });
});

describe('the budget of a workflow', () => {
  test('counts all runs together, including runs that work in parallel', async () => {
    const names = ['a', 'b', 'c'];
    const script = new Script()
      .on({ lastUser: LAST, ...LEAD })
      .reply([text('The reports are short.')], { usage })
      .on({ lastUser: LAST })
      .reply([text('A short report.')], { usage })
      .on({ ...LEAD, step: 1 })
      .reply(
        names.map((name) => spawn({ name, prompt: `Do ${name}.` })),
        { usage },
      )
      .on({})
      .reply((seen) => [toolUse('read_file', { path: 'README.md', limit: seen.turn })], { usage });
    const engine = await startEngine(script, { settings: '[limits.workflow]\nmax_tokens = 1000\n' });
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(Array.from({ length: 4 }, () => 'budget_exceeded'));
    // Ordinary requests stop before the bound; each of the four runs has one last request after it.
    expect(engine.model.requests.filter(({ body }) => body.tool_choice?.type !== 'none').length * 120).toBeLessThan(
      1000,
    );
    expect(engine.model.requests.filter(({ body }) => body.tool_choice?.type === 'none')).toHaveLength(4);
    expect(engine.of('workflow-start')[0]?.budget).toEqual({ ...DEFAULT_WORKFLOW_LIMITS, tokens: 1000 });
    expect(await engine.store.workflow(end.workflowId)).toMatchObject({ budget: { tokens: 1000 } });
    const handed = engine.of('tool-end').filter(({ entry }) => entry.name === 'spawn_agent');
    expect(handed.map(({ entry }) => outputOf(entry.output))).toMatchObject(
      names.map(() => ({ success: false, outcome: 'budget_exceeded', report: 'A short report.' })),
    );
    expect(end.text).toBe('The reports are short.');
  });

  test('stops the lead at a limit of iterations for the whole workflow', async () => {
    const engine = await startEngine(busy(), { settings: '[limits.workflow]\nmax_iterations = 2\n' });
    const end = await engine.ask('Go');
    expect(end).toMatchObject({ outcome: 'budget_exceeded', error: { code: 'max_iterations' } });
    expect(end.error?.message).toMatch(/2 turns for the whole workflow/);
    expect(engine.model.requests).toHaveLength(3);
  });

  test('has defaults for requests and cost; a sub-agent has its own defaults, and the lead has no limit of cost', async () => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'a', prompt: 'Do a.' })])
      .on({})
      .reply([text('Done.')]);
    const engine = await startEngine(script);
    const end = await engine.ask('Go');
    expect(engine.of('workflow-start')[0]?.budget).toEqual({ iterations: 100, costUsd: 10 });
    expect((await engine.store.workflow(end.workflowId))?.budget).toEqual({ iterations: 100, costUsd: 10 });
    const [lead, child] = engine.of('run-queue').map(({ envelope }) => envelope.limits);
    expect(lead).toEqual({ maxIterations: 200, inactivityMs: 300_000 });
    expect(child).toEqual({ maxIterations: 40, inactivityMs: 300_000, budget: { costUsd: 2 } });
  });

  test('a limit for one agent set by the person also applies to the lead', async () => {
    const settings = '[limits.run]\nmax_iterations = 30\nmax_cost_usd = 1\n';
    const engine = await startEngine(new Script().on({}).reply([text('Hi.')]), { settings });
    await engine.ask('Go');
    expect(engine.of('run-queue')[0]?.envelope.limits).toMatchObject({ maxIterations: 30, budget: { costUsd: 1 } });
  });
});
