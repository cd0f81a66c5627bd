/** The most that a run and what serves it can use, against numbers worked out by hand. */
import { describe, expect, test } from 'vitest';
import type { Coagent, Envelope, Flow } from '#contract/agent.ts';
import { contextWindowOf } from '#core/model/context-windows.ts';
import { priceOf } from '#core/model/prices.ts';
import { UNKNOWN } from '#core/model/providers/capabilities.ts';
import { worstCase } from '#core/runs/envelopes/worst-case.ts';
import { envelopeOf } from '../../support/envelope.ts';

const models = {
  'claude-sonnet-5-5': { input: 2, output: 10 },
  'claude-haiku-4-5': { input: 1, output: 5 },
  'claude-haiku-5-5': { input: 0.1, output: 0.5, long_prompt: { above: 100_000, input: 0.5, output: 2.5 } },
  'local-llm': { input: 1, output: 1 },
  'half-priced': { input: 1 },
  'claude-sonnet-5': { input: 2, output: 10, cache_write_5m: 2.5 },
};
const known: Parameters<typeof worstCase>[1] = {
  price: (model, usage) => priceOf({ lists: [{ source: 'built-in', version: '2026-10-24', models }] }, model, usage),
  capabilities: (_, model) => ({ ...UNKNOWN, contextWindow: contextWindowOf(model) }),
};

/** Ten turns of at most 10,000 tokens: a request reads 1M tokens for $2 and writes for $0.10. */
const run = (parts: Partial<Envelope> = {}): Envelope =>
  envelopeOf('worker', 'Do it', { maxTokens: 10_000, limits: { maxIterations: 10, inactivityMs: 1000 }, ...parts });
/** Four turns; a request costs $0.20 and $0.05. */
const small = (parts: Partial<Coagent> = {}): Coagent => {
  const limits = { maxIterations: 4, inactivityMs: 1000 };
  const { prompt: _, stages: __, ...coagent } = run({ model: 'claude-haiku-4-5', limits });
  return { ...coagent, ...parts };
};
const flow = (parts: Partial<Flow>): Flow => ({
  type: 'judge',
  rounds: 3,
  primary: 'worker',
  handoff: { type: 'static', text: 'Look at it' },
  ...parts,
});
/** Requests, and dollars. */
const worst = (envelope: Envelope) => {
  const { requests, nanoUsd } = worstCase(envelope, known);
  return [requests, nanoUsd === null ? null : nanoUsd / 1e9];
};

test('counts the turns of a run and the final report at the limit', () => {
  expect(worst(run())).toEqual([11, 11 * 2.1]);
});

test('charges the cache write price for prompts if that price is higher', () => {
  // A request reads 1M tokens for $2.50 and writes for $0.10.
  expect(worst(run({ model: 'claude-sonnet-5' }))).toEqual([11, 11 * 2.6]);
});

describe('reviews', () => {
  const reflection = (maxRetries: number) => run({ reflection: { criteria: null, maxRetries } });
  test('counts two reviews of each answer, because an unreadable review is repeated', () => {
    // Three answers of two reviews each.
    expect(worst(reflection(2))).toEqual([17, 17 * 2.1]);
  });

  test('counts no more answers than turns', () => {
    const short = { maxIterations: 2, inactivityMs: 1000 };
    // Two turns and the report; two answers of two reviews each.
    expect(worst({ ...reflection(5), limits: short })[0]).toBe(7);
  });

  test('counts the reviews together with the rounds of a control flow', () => {
    const three = { ...reflection(0), flow: flow({ coagent: small() }) };
    // 11 of its own, three answers of two reviews each; three runs of five.
    expect(worst(three)[0]).toBe(11 + 6 + 15);
  });
});

describe('a control flow', () => {
  test.each([
    ['judge', 3, 11 + 3 * 5],
    ['smart', 2, 11 + 2 * 5],
    ['chat', 10, 11 + 10 * 5],
    // After its last answer nobody is asked any more.
    ['loop', 3, 11 + 2 * 5],
    ['loop', 1, 11],
  ] as const)('counts the requests of a %s flow with %d rounds', (type, rounds, requests) => {
    const coagent = small();
    const most = worst(run({ flow: flow({ type, rounds, coagent }) }));
    expect(most).toEqual([requests, expect.closeTo(11 * 2.1 + (requests - 11) * 0.25, 6)]);
  });

  test('counts a generated handoff as one request per round at the price of the agent', () => {
    const handoff = { type: 'generated', text: 'Sum it up' } as const;
    expect(worst(run({ flow: flow({ handoff, coagent: small() }) }))).toEqual([
      14 + 15,
      expect.closeTo(14 * 2.1 + 15 * 0.25, 6),
    ]);
    expect(worst(run({ flow: flow({ type: 'loop', handoff }) }))[0]).toBe(13);
    expect(worst(run({ flow: flow({ type: 'hitl', rounds: 1, handoff }) }))[0]).toBe(11);
  });
});

test('counts all stages with their own control flows', () => {
  const second = { ...small(), flow: flow({ type: 'smart', rounds: 2, coagent: small() }) };
  // 11, then 5, then 5 with two rounds of 5.
  expect(worst(run({ stages: [small(), second] }))).toEqual([31, expect.closeTo(11 * 2.1 + 20 * 0.25, 6)]);
});

describe('costs in dollars', () => {
  const budget = (costUsd: number) => ({ maxIterations: 10, inactivityMs: 1000, budget: { costUsd } });
  test('are capped by the budget of each run', () => {
    expect(worst(run({ limits: budget(5) }))).toEqual([11, 5]);
    expect(worst(run({ limits: budget(50) }))).toEqual([11, 11 * 2.1]);
    const coagent = small({ limits: { ...budget(0.5), maxIterations: 4 } });
    expect(worst(run({ flow: flow({ coagent }) }))).toEqual([26, expect.closeTo(11 * 2.1 + 3 * 0.5, 6)]);
  });

  test('include the separate price of a long prompt', () => {
    expect(worst(run({ model: 'claude-haiku-5-5' }))[1]).toBeCloseTo(11 * (0.5 + 0.025), 6);
  });

  test('are unknown if a price is missing, or if the window is unknown and no budget applies', () => {
    expect(worst(run({ model: 'half-priced' }))).toEqual([11, null]);
    expect(worst(run({ model: 'half-priced', limits: budget(5) }))).toEqual([11, null]);
    expect(worst(run({ model: 'local-llm' }))).toEqual([11, null]);
    expect(worst(run({ model: 'local-llm', limits: budget(5) }))).toEqual([11, 5]);
    expect(worst(run({ stages: [small({ model: 'half-priced' })] }))).toEqual([16, null]);
    // A coagent that is never asked costs nothing.
    const never = flow({ type: 'loop', rounds: 1, coagent: small({ model: 'half-priced' }) });
    expect(worst(run({ flow: never }))).toEqual([11, 11 * 2.1]);
  });

  test('are zero for the demo model', () => {
    expect(worst(run({ model: 'demo' }))).toEqual([11, 0]);
  });
});
