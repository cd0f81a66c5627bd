/** Each attempt at a response is checked against the budget, not only the first one. */
import { expect, test } from 'vitest';
import { DEFAULT_WORKFLOW_LIMITS } from '#contract/limits.ts';
import { eventually } from '../../../support/eventually.ts';
import { startEngine } from '../../../support/engine.ts';
import type { Seen } from '../../../support/fake-model/request.ts';
import { LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { type Block, Script, text, toolUse } from '../../../support/fake-model/script.ts';

const usage = { input: 100, output: 1 };
const LAST = /You have no tools any more/;
const words = text('Words that nobody will ever read to their end', { deltas: 8 });

test('does not retry a broken response beyond the limit, and goes on when the limit is raised', async () => {
  const script = new Script()
    .on({ asked: /You have your tools again/ })
    .reply([text('Now whole.')], { usage })
    .on({})
    .reply([words], { cutAfter: 6, usage });
  const engine = await startEngine(script, { settings: '[limits.workflow]\nmax_tokens = 150\n' });
  const { workflowId, ...end } = await engine.ask('Go');
  expect(end).toMatchObject({ outcome: 'budget_exceeded', error: { code: 'limit_reached' } });
  expect(end.text).toMatch(/^Words that/);
  expect(engine.model.requests).toHaveLength(1);
  expect(engine.of('retry')).toEqual([]);
  await engine.runtime.request('workflow.extend', {
    workflowId,
    add: { tokens: 1000 },
    seen: { ...DEFAULT_WORKFLOW_LIMITS, tokens: 150 },
  });
  await eventually(async () =>
    expect(await engine.store.workflow(workflowId)).toMatchObject({
      outcome: 'completed',
      text: 'Now whole.',
    }),
  );
  expect(engine.model.requests).toHaveLength(2);
});

test('retries the last request at the limit if it got no answer, but not if the answer broke off', async () => {
  const failing = async (reply: object): Promise<number> => {
    const script = new Script()
      .on({ lastUser: LAST })
      .reply([words], { usage, times: 1, ...reply })
      .on({ lastUser: LAST })
      .reply([text('My report.')], { usage })
      .on({})
      .reply([spawn({ name: 'nobody', prompt: '' })], { usage });
    const engine = await startEngine(script, { settings: '[limits.workflow]\nmax_tokens = 150\n' });
    expect((await engine.ask('Go')).outcome).toBe('budget_exceeded');
    return engine.model.requests.length;
  };
  const error = { type: 'overloaded_error', message: 'busy' };
  expect(await failing({ status: 529, error })).toBe(3);
  expect(await failing({ cutAfter: 6 })).toBe(2);
});

test('a retry of one sub-agent counts against the limit for the others', async () => {
  const largeUsage = { input: 1000, output: 1 };
  const prompts = new Set<string>();
  const { promise: allAnswered, resolve } = Promise.withResolvers<void>();
  const replyToSecond = ({ prompt }: Seen): Block[] => {
    prompts.add(prompt);
    if (prompts.size === 3) resolve();
    return [words];
  };
  const script = new Script()
    .on({ ...LEAD, turn: 1 })
    .reply(
      ['a', 'b', 'c'].map((name) => spawn({ name, prompt: `Do ${name}.` })),
      { usage },
    )
    .on({ lastUser: LAST })
    .reply([text('Half.')], { usage })
    .on(LEAD)
    .reply([text('Done.')], { usage })
    .on({ turn: 1 })
    .reply([toolUse('list_directory', { path: '.' })], { usage: largeUsage })
    .on({})
    // A first request counts as 0 until its answer, so no response breaks off before all three are answered.
    .reply(replyToSecond, { cutAfter: 6, usage: largeUsage, hold: { until: () => allAnswered } });
  const engine = await startEngine(script, { settings: '[limits.workflow]\nmax_tokens = 7500\n' });
  const end = await engine.ask('Go');
  // Two requests of each sub-agent and one repeat; two requests of the lead.
  expect(engine.of('retry')).toHaveLength(1);
  expect(end.usage.inputTokens).toBe(7 * 1000 + 2 * 100);
});
