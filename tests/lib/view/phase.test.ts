// Where a sub-agent stands while what was asked about with it is not answered yet.
import { expect, it } from 'vitest';
import type { Approval, Decision } from '#contract/approval.ts';
import type { SubAgentExecution } from '#contract/execution.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { canGoOn, phaseOfExecution, phaseOfRun, phaseOfWorkflow, waitsForOthers } from '#lib/view/phase.ts';

function batch(...decisions: (Partial<Decision> | null)[]): Approval {
  const items = decisions.map((_, index) => ({ runId: `run-${index}` }));
  const request = { runId: 'lead', subject: { kind: 'envelopes', operation: 'parallel', items } };
  return { request, decisions } as unknown as Approval;
}

it('shows a rejected sub-agent of a batch as rejected at once, and an allowed one as queued', () => {
  const no = { allowed: false, decidedBy: 'person' } as const;
  const approvals = [batch(no, null, { allowed: true, decidedBy: 'person' }, { ...no, decidedBy: 'cancel' })];
  const phases = [0, 1, 2, 3].map((index) => {
    const run = { id: `run-${index}`, outcome: null, status: 'pending' } as unknown as RunRow;
    const execution = { id: `run-${index}`, status: 'pending' } as unknown as SubAgentExecution;
    return [phaseOfRun(run, approvals, []), phaseOfExecution(execution, approvals)];
  });
  expect(phases).toEqual([
    ['rejected', 'rejected'],
    ['waiting', 'waiting'],
    ['queued', 'queued'],
    ['queued', 'queued'],
  ]);
  const running = { id: 'run-0', outcome: null, status: 'running' } as unknown as RunRow;
  expect(phaseOfRun(running, approvals, [])).toBe('running');
});

it('an allowed sub-agent of a batch waits for the open decisions', () => {
  const yes = { allowed: true, decidedBy: 'person' } as const;
  const waiting = (...decisions: (Partial<Decision> | null)[]) =>
    decisions.map((_, index) => waitsForOthers({ id: `run-${index}` }, [batch(...decisions)]));
  expect(waiting(yes, null, { ...yes, allowed: false })).toEqual([true, false, false]);
  expect(waiting(yes, yes)).toEqual([false, false]);
});

it('shows a message that was cancelled in the queue as withdrawn', () => {
  const phases = [null, '2026-03-01T12:00:00.000Z'].map((startedAt) =>
    phaseOfWorkflow({ outcome: 'cancelled', startedAt } as WorkflowRow, []),
  );
  expect(phases).toEqual(['withdrawn', 'cancelled']);
});

it('canGoOn is true for failed, stopped and interrupted work, and for any outcome with an error', () => {
  const outcomes = [
    'completed',
    'partial',
    'rejected',
    'cancelled',
    'error',
    'timed_out',
    'refused',
    'interrupted',
  ] as const;
  expect(outcomes.filter((outcome) => canGoOn({ outcome, error: null }))).toEqual(outcomes.slice(3));
  const error = { code: 'max_tokens', message: 'Cut', retryable: false } as never;
  expect(canGoOn({ outcome: 'budget_exceeded', error })).toBe(true);
  expect(canGoOn({ outcome: null, error: null })).toBe(false);
});
