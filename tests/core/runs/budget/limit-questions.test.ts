/** The question that a run at its limit waits for; without a store. */
import { expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import type { Bound } from '#contract/message.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { LimitQuestions, type LimitedRun } from '#core/runs/budget/limit-questions.ts';
import { WorkflowBudget } from '#core/runs/budget/workflow-budget.ts';
import { gateWith, settled } from '../../approvals/gate-with.ts';

const OWN: Bound = { of: 'run', name: 'iterations', value: 2 };
const WHOLE: Bound = { of: 'workflow', name: 'iterations', value: 9 };

function createLimitedRun(runId: string): LimitedRun {
  const ids = { conversationId: 'c', workflowId: 'w', runId, parentRunId: null, agent: runId };
  const record = () => Promise.resolve({} as DurableEvent);
  const { signal } = new AbortController();
  return {
    recorder: { ids, record },
    chain: [],
    folder: '/',
    signal,
    storedQuestions: [],
    limits: () => ({}),
    used: () => ({ tokens: 0, nanoUsd: 0, ms: 0, iterations: 0 }),
  };
}

test('asks about a limit of the lead and a limit of the workflow in two questions, each with three answers', async () => {
  const { gate } = gateWith();
  gate.attach();
  const budget = new WorkflowBudget({
    limits: { iterations: 9 },
    raised: [],
    workedMs: 0,
    requests: [],
    tally: () => ZERO_TALLY,
    price: () => ({ nanoUsd: 0 }),
  });
  const questions = new LimitQuestions({ gate, policy: 'ask', budget, answerMs: () => 1000 });
  const [lead, child] = [createLimitedRun('lead'), createLimitedRun('child')];
  questions.setLead(lead);
  expect(
    await questions.answer(lead, { of: 'run', name: 'minutes', value: 3 }),
    'a limit of time needs no answer',
  ).toBe('finish');
  const answers = [questions.answer(lead, OWN), questions.answer(child, WHOLE), questions.answer(lead, WHOLE)];
  await settled();
  const bounds = gate.pending().map(({ request: { subject } }) => subject.kind === 'limit' && subject.bound);
  expect(bounds).toEqual([OWN, WHOLE]);
  expect(gate.pending().map(({ request: { options } }) => options.map(({ id, kind }) => [id, kind]))).toEqual(
    Array.from({ length: 2 }, () => [
      ['allow', 'allow_once'],
      ['reject', 'reject_once'],
      ['stop', 'reject_always'],
    ]),
  );
  const [own, whole] = gate.pending().map(({ request }) => request.id);
  await gate.decide(own!, 0, { kind: 'reject', reason: '' });
  await gate.decide(whole!, 0, { kind: 'allow' });
  expect(await Promise.all(answers)).toEqual(['finish', 'continue', 'continue']);
  expect(budget.limits).toEqual({ iterations: 18 });
  gate.close();
});
