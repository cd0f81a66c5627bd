/** When a limit is reached, what raising it does, and how it is told: the arithmetic alone. */
import { describe, expect, test } from 'vitest';
import type { Budget } from '#contract/agent.ts';
import type { RequestUsage } from '#contract/event.ts';
import type { Bound, Entry } from '#contract/message.ts';
import type { Tally } from '#contract/outcome.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import {
  answeredSince,
  limitEnd,
  limitNotice,
  limitRemark,
  limitText,
  noteLimit,
  tellLimit,
  tellRaised,
} from '#core/runs/budget/limit-notices.ts';
import {
  budgetOf,
  crossed,
  isRaised,
  limitsOf,
  NO_SIZE,
  raisedBy,
  reached,
  type Used,
  sumUse,
  workflowBudget,
} from '#core/runs/budget/limits.ts';
import { Slots } from '#core/runs/budget/slots.ts';
import { WorkflowBudget } from '#core/runs/budget/workflow-budget.ts';
import { Transcript } from '#core/store/log/transcript.ts';
import { settingsOf } from '../../../support/settings/settings-of.ts';
import { envelopeOf } from '../../../support/envelope.ts';
import { Recording, requestUsage } from '../../../support/recording.ts';

const NOTHING: Used = { tokens: 0, nanoUsd: 0, ms: 0, iterations: 0 };
const used = (parts: Partial<Used>): Used => ({ ...NOTHING, ...parts });

describe('limits of a budget', () => {
  test('a token limit is reached when all tokens are used or the next request would exceed the limit', () => {
    const limits = { tokens: 100 };
    const at = (tokens: number, next = 0) => crossed('run', limits, used({ tokens }), { tokens: next, nanoUsd: 0 });
    expect(at(99)).toBeNull();
    expect(at(100)).toEqual({ of: 'run', name: 'tokens', value: 100 });
    expect(at(60, 40)).toBeNull();
    expect(at(60, 41)).toEqual({ of: 'run', name: 'tokens', value: 100 });
  });

  test('a cost limit is in dollars, and is reached like a token limit', () => {
    const limits = { costUsd: 2 };
    const at = (usd: number, next = 0) =>
      crossed('workflow', limits, used({ nanoUsd: usd * 1e9 }), { tokens: 0, nanoUsd: next * 1e9 });
    expect(at(1.5)).toBeNull();
    expect(at(2)).toEqual({ of: 'workflow', name: 'costUsd', value: 2 });
    expect(at(1.5, 0.5)).toBeNull();
    expect(at(1.5, 0.75)).toEqual({ of: 'workflow', name: 'costUsd', value: 2 });
  });

  test('limits of minutes and iterations are reached at their value', () => {
    expect(reached('run', { minutes: 2 }, used({ ms: 119_999 }))).toBeNull();
    expect(reached('run', { minutes: 2 }, used({ ms: 120_000 }))).toEqual({ of: 'run', name: 'minutes', value: 2 });
    expect(reached('run', { iterations: 3 }, used({ iterations: 2 }))).toBeNull();
    expect(reached('run', { iterations: 3 }, used({ iterations: 3 }))).toEqual({
      of: 'run',
      name: 'iterations',
      value: 3,
    });
  });

  test('a limit that is not set is never reached', () => {
    expect(crossed('run', {}, used({ tokens: 1e12, nanoUsd: 1e15, ms: 1e12, iterations: 1e6 }), NO_SIZE)).toBeNull();
  });

  test('raising adds to the limit, or to the used amount if there was no limit', () => {
    const has = used({ tokens: 70, nanoUsd: 3e9, ms: 120_000, iterations: 4 });
    expect(raisedBy({ tokens: 100 }, { tokens: 50 }, has)).toEqual({ tokens: 150 });
    expect(raisedBy({}, { tokens: 5, costUsd: 1, minutes: 3, iterations: 2 }, has)).toEqual({
      tokens: 75,
      costUsd: 4,
      minutes: 5,
      iterations: 6,
    });
    const all: Budget = { tokens: 1, costUsd: 2, minutes: 3, iterations: 4 };
    expect(raisedBy(all, { tokens: 1, costUsd: 1, minutes: 1, iterations: 1 }, has)).toEqual({
      tokens: 2,
      costUsd: 3,
      minutes: 4,
      iterations: 5,
    });
    expect(raisedBy(all, {}, has)).toEqual(all);
  });

  test('a reached limit applies until it is raised or removed', () => {
    const bound: Bound = { of: 'run', name: 'tokens', value: 100 };
    expect(isRaised(bound, { tokens: 100 })).toBe(false);
    expect(isRaised(bound, { tokens: 101 })).toBe(true);
    expect(isRaised(bound, {})).toBe(true);
  });
});

test('sums all classes of tokens, and takes cost from the tally', () => {
  const tally: Tally = {
    ...ZERO_TALLY,
    inputTokens: 1,
    cacheReadTokens: 20,
    cacheWriteTokens: 300,
    outputTokens: 4000,
    nanoUsd: 5,
  };
  expect(sumUse(tally, 6, 7)).toEqual({ tokens: 4321, nanoUsd: 5, ms: 6, iterations: 7 });
});

test('the limits of the settings become budgets, with defaults for cost and requests', () => {
  const { limits } = settingsOf(
    '[limits.run]\nmax_tokens = 10\nmax_cost_usd = 2.5\nmax_minutes = 3\n[limits.workflow]\nmax_tokens = 20\nmax_cost_usd = 4\nmax_iterations = 9\n',
  );
  expect(budgetOf(limits.run)).toEqual({ tokens: 10, costUsd: 2.5, minutes: 3 });
  expect(workflowBudget(limits)).toEqual({ tokens: 20, costUsd: 4, iterations: 9 });
  const usual = settingsOf('').limits;
  expect(budgetOf(usual.run)).toEqual({ costUsd: 2 });
  expect(workflowBudget(usual)).toEqual({ costUsd: 10, iterations: 100 });
  const own = { maxIterations: 5, inactivityMs: 1, budget: { tokens: 8 } };
  expect(limitsOf(envelopeOf('x', 'x', { limits: own }))).toEqual({ tokens: 8, iterations: 5 });
});

describe('slots for sub-agents', () => {
  test('are reserved all together or not at all, and the error names the number left', () => {
    const slots = new Slots(3, 1);
    expect(slots.left).toBe(2);
    expect(() => slots.reserve(3)).toThrow(
      /maximum of sub-agents for one workflow is 3; 1 of them are taken: only 2 can still be started in this workflow, but 3 were asked for\. Go on/,
    );
    expect(slots.left).toBe(2);
    slots.reserve(2);
    expect(slots.left).toBe(0);
    expect(() => slots.reserve(1)).toThrow(/3 of them are taken: none can be started any more/);
    slots.reserve(0);
    slots.release();
    expect(slots.left).toBe(1);
    slots.reserve(1);
    expect(() => slots.reserve(1)).toThrow(expect.objectContaining({ code: 'limit_reached' }) as Error);
  });

  test('none are left if an earlier attempt used more than the lowered maximum', () => {
    const lowered = new Slots(1, 3);
    expect([lowered.max, lowered.left]).toEqual([1, 0]);
  });
});

describe('budget of a workflow and its runs', () => {
  const price = (_: string, usage: { outputTokens: number; inputTokens: number }) => ({
    nanoUsd: usage.inputTokens + 1000 * usage.outputTokens,
  });
  const budgetWith = (limits: Budget, requests: (RequestUsage & { runId: string })[] = []) => {
    const tally = { ...ZERO_TALLY };
    const parts = { limits, raised: [], workedMs: 500, requests, tally: () => tally, price };
    return { budget: new WorkflowBudget(parts), tally };
  };
  const request = (rest: Partial<RequestUsage> = {}): RequestUsage =>
    requestUsage(new Recording(), {
      inputTokens: 10,
      cacheReadTokens: 20,
      cacheWrite5mTokens: 30,
      cacheWrite1hTokens: 40,
      outputTokens: 7,
      ...rest,
    });

  test('estimates the next request of a run by the input of its last request, without the output', () => {
    const { budget } = budgetWith({});
    expect(budget.admit('a', { tokens: 99 }, NOTHING)).toBeNull();
    budget.counted('a', request());
    expect(budget.admit('a', { tokens: 99 }, NOTHING)).toEqual({ of: 'run', name: 'tokens', value: 99 });
    expect(budget.admit('a', { tokens: 100 }, NOTHING)).toBeNull();
    expect(budget.admit('b', { tokens: 99 }, NOTHING), 'each run its own').toBeNull();
    expect(budget.admit('a', { costUsd: 9e-9 }, NOTHING), 'priced without output').toMatchObject({ name: 'costUsd' });
    expect(budget.admit('a', { costUsd: 10e-9 }, NOTHING)).toBeNull();
  });

  test('a request outside the turns and an unanswered request do not change the estimate', () => {
    const { budget } = budgetWith({});
    budget.counted('a', request({ purpose: 'review' }));
    const silent = { inputTokens: 0, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 };
    budget.counted('a', request());
    budget.counted('a', request(silent));
    expect(budget.admit('a', { tokens: 99 }, NOTHING)).not.toBeNull();
    budget.counted('b', request({ purpose: 'context' }));
    expect(budget.admit('b', { tokens: 1 }, NOTHING)).toBeNull();
  });

  test('a request in flight counts for the workflow until it is counted, withdrawn or its run leaves', () => {
    const { budget } = budgetWith({ iterations: 2 });
    expect(budget.admit('a', {}, NOTHING)).toBeNull();
    expect(budget.admit('b', {}, NOTHING)).toBeNull();
    const full = { of: 'workflow', name: 'iterations', value: 2 };
    expect(budget.admit('c', {}, NOTHING)).toEqual(full);
    budget.withdraw('a');
    expect(budget.admit('c', {}, NOTHING)).toBeNull();
    expect(budget.admit('a', {}, NOTHING)).toEqual(full);
    budget.leave('b');
    expect(budget.admit('a', {}, NOTHING)).toBeNull();
    budget.counted('a', request());
    expect(budget.used.iterations).toBe(1);
    expect(budget.admit('d', {}, NOTHING)).toEqual(full);
  });

  test('tokens and cost of requests in flight are estimated by the last request of their run', () => {
    const { budget } = budgetWith({ tokens: 250, costUsd: 1 }, [{ ...request(), runId: 'a' }]);
    expect(budget.admit('a', {}, NOTHING)).toBeNull();
    expect(budget.admit('a', {}, NOTHING)).toBeNull();
    expect(budget.admit('a', {}, NOTHING)).toEqual({ of: 'workflow', name: 'tokens', value: 250 });
    const { budget: dear } = budgetWith({ costUsd: 25e-9 }, [{ ...request(), runId: 'a' }]);
    expect(dear.admit('a', {}, NOTHING)).toBeNull();
    expect(dear.admit('a', {}, NOTHING)).toBeNull();
    expect(dear.admit('a', {}, NOTHING)).toMatchObject({ of: 'workflow', name: 'costUsd' });
  });

  test('a failed request is no iteration, but requests of earlier attempts are', () => {
    const failed = request({ error: { code: 'overloaded', message: 'Busy' } });
    const { budget, tally } = budgetWith({}, [
      { ...request(), runId: 'a' },
      { ...failed, runId: 'a' },
    ]);
    tally.outputTokens = 5;
    expect(budget.used).toEqual({ tokens: 5, nanoUsd: 0, ms: 500, iterations: 1 });
  });

  test('raised limits apply to the workflow or to the single run', () => {
    const { budget } = budgetWith({ tokens: 1 });
    budget.raise({ tokens: 5 });
    expect(budget.limits).toEqual({ tokens: 5 });
    budget.raiseRun('a', { minutes: 3 });
    expect(budget.limitsOfRun('a', { minutes: 1 })).toEqual({ minutes: 3 });
    expect(budget.limitsOfRun('b', { minutes: 1 })).toEqual({ minutes: 1 });
    const parts = { limits: {}, workedMs: 0, requests: [], tally: () => ZERO_TALLY, price };
    const again = new WorkflowBudget({ ...parts, raised: [['a', { tokens: 9 }]] });
    expect(again.limitsOfRun('a', {})).toEqual({ tokens: 9 });
  });

  test('reports an unknown price once per model, and once more if a cost limit cannot be checked', () => {
    const { budget } = budgetWith({});
    const told = (model: string, isBounded: boolean) => budget.noteUnpriced(model, isBounded);
    expect(['x', 'x', 'y', 'x'].map((model) => told(model, false))).toEqual([true, false, true, false]);
    // Once more where a limit on cost cannot be checked, and not again.
    expect([told('x', true), told('x', true), told('x', false)]).toEqual([true, false, false]);
  });
});

describe('notices of a limit', () => {
  const bound: Bound = { of: 'run', name: 'tokens', value: 1500 };
  const iterations: Bound = { of: 'workflow', name: 'iterations', value: 1 };

  test.for<[Bound, string]>([
    [bound, '1,500 tokens'],
    [{ of: 'run', name: 'tokens', value: 1 }, '1 token'],
    [{ of: 'run', name: 'costUsd', value: 0.000000001 }, '$0.000000001'],
    [{ of: 'run', name: 'minutes', value: 1 }, '1 minute of work'],
    [{ of: 'workflow', name: 'minutes', value: 2.5 }, '2.5 minutes of work for the whole workflow'],
    [iterations, '1 turn for the whole workflow'],
  ])('describes the limit %o as %s', ([one, words]) => {
    expect(limitText(one)).toBe(words);
  });

  test('a reached limit adds one remark and one prompt for the final report without tools', () => {
    const history = new Transcript([]);
    const [note, ask, ...more] = [...tellLimit(history, bound)];
    expect(note).toMatchObject({
      type: 'message-end',
      entry: { kind: 'system', code: 'budget', bound, text: 'The limit of 1,500 tokens is reached' },
    });
    expect(ask).toMatchObject({
      type: 'message-end',
      entry: {
        kind: 'user',
        source: 'engine',
        text: expect.stringMatching(/no tools any more.*final report/) as string,
      },
    });
    expect(more).toEqual([]);
    expect(limitNotice(history.entries)).toMatchObject({ bound, n: 0 });
    expect(limitRemark(iterations).code).toBe('max_iterations');
  });

  test('a raised limit clears the notice, and a run with work left is prompted to go on', () => {
    const history = new Transcript([]);
    noteLimit(history, bound);
    const notice = limitNotice(history.entries)!;
    const silent = [...tellRaised(history, notice, false)];
    expect(silent).toHaveLength(1);
    expect(silent[0]).toMatchObject({
      type: 'message-end',
      entry: { code: 'extended', text: 'The person raised the limit of 1,500 tokens' },
    });
    expect(limitNotice(history.entries)).toBeNull();
    expect([...tellRaised(history, notice, true)][1]).toMatchObject({
      type: 'message-end',
      entry: {
        kind: 'user',
        source: 'engine',
        text: expect.stringMatching(/raised.*tools again.*final report/) as string,
      },
    });
    noteLimit(history, iterations);
    expect(limitNotice(history.entries)).toMatchObject({ bound: iterations });
  });

  test('only an answer after the notice counts as the report', () => {
    const history = new Transcript([]);
    const answer = { messageId: 'm', responseId: null, parts: [], stopReason: 'end_turn' as const };
    history.add({ kind: 'assistant', ...answer, interrupted: false });
    noteLimit(history, bound);
    const notice = limitNotice(history.entries)!;
    expect(answeredSince(history.entries, notice)).toBe(false);
    history.add({ kind: 'assistant', ...answer, interrupted: false });
    expect(answeredSince(history.entries, notice)).toBe(true);
    expect(answeredSince([] as Entry[], notice)).toBe(false);
    expect(limitNotice([])).toBeNull();
  });

  test('the run ends with budget_exceeded and names the limit', () => {
    expect(limitEnd({ bound })).toEqual({
      outcome: 'budget_exceeded',
      error: { code: 'limit_reached', message: 'The limit of 1,500 tokens was reached: the report may be incomplete' },
    });
    expect(limitEnd({ bound: iterations }).error.code).toBe('max_iterations');
  });
});
