// For what agents wait, and how long: the model, or the person.
import { describe, expect, it } from 'vitest';
import type { Approval, Decision } from '#contract/approval.ts';
import { waitedForYouMs } from '#contract/approvals/waited.ts';
import type { RunKind } from '#contract/agent.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { timesOfRun } from '#contract/history/work-times.ts';
import { timesOf, waitsForModel, withAsking } from '#lib/view/waiting.ts';

const at = (seconds: number): string => new Date(Date.parse('2026-01-02T03:04:00.000Z') + seconds * 1000).toISOString();
const ms = (seconds: number): number => Date.parse(at(seconds));

/** Asked at `from`; each item answered at its second, or not yet. */
function approval(from: number, ...answers: (number | null)[]): Approval {
  const decisions = answers.map((to) => (to === null ? null : ({ at: at(to) } as Decision)));
  return { request: { workflowId: 'w', at: at(from) }, decisions } as Approval;
}

describe('waiting for the model', () => {
  const asking = { asking: { a: 1 } };

  it('applies to a running run that waits for its turn at the provider, with the limit of parallel requests', () => {
    expect(waitsForModel({ view: asking, runId: 'a', phase: 'running' })).toBe(1);
    expect(waitsForModel({ view: asking, runId: 'b', phase: 'running' })).toBeNull();
  });

  it('does not apply to a run that waits for the person or has ended', () => {
    expect(waitsForModel({ view: asking, runId: 'a', phase: 'waiting' })).toBeNull();
    expect(waitsForModel({ view: asking, runId: 'a', phase: 'cancelled' })).toBeNull();
  });

  it('is tracked for each run separately', () => {
    const two = withAsking(asking, { runId: 'b' }, 3);
    expect(two.asking).toEqual({ a: 1, b: 3 });
    expect(withAsking(two, { runId: 'a' }, null).asking).toEqual({ b: 3 });
  });
});

describe('waiting for the person', () => {
  it('counts overlapping approvals once, and an open approval up to now', () => {
    expect(waitedForYouMs([approval(0, 10, 4), approval(6, 12), approval(20, null)], ms(25))).toBe(17_000);
    expect(waitedForYouMs([], ms(25))).toBe(0);
  });

  it('is separate from the work time of a workflow', () => {
    const workflow = { id: 'w', startedAt: at(0), endedAt: at(30), durationMs: 30_000 } as WorkflowRow;
    const asked = [approval(2, 22), { ...approval(0, 30), request: { workflowId: 'v', at: at(0) } } as Approval];
    expect(timesOf(workflow, asked, [], 0)).toEqual({ workMs: 10_000, waitedMs: 20_000 });
    expect(timesOf({ ...workflow, workedMs: 15_000 }, asked, [], 0)).toEqual({ workMs: 15_000, waitedMs: 20_000 });
    const copiedFrom = { conversationId: 'c', workflowId: 'v', runId: 'r', waitedMs: 12_000, workedMs: 19_000 };
    expect(timesOf({ ...workflow, copiedFrom }, [], [], 0)).toEqual({ workMs: 19_000, waitedMs: 12_000 });
    const busy = { ...workflow, workedMs: 4000 };
    expect(timesOf(busy, asked, [], 0), 'what was counted leaves out other waits').toEqual({
      workMs: 4000,
      waitedMs: 20_000,
    });
    const live = { ...busy, endedAt: null, durationMs: null };
    expect(timesOf(live, asked, [], ms(40)), 'and is behind while it works').toEqual({
      workMs: 20_000,
      waitedMs: 20_000,
    });
    expect(timesOf({ ...workflow, startedAt: null, durationMs: null }, asked, [], 0)).toBeNull();
  });

  it('includes approvals of the run and its coagents, and for a lead of the whole workflow', () => {
    const workflow = { id: 'w', startedAt: at(0), endedAt: at(30), durationMs: 30_000 } as WorkflowRow;
    const run = (id: string, kind: RunKind, parentRunId: string | null): RunRow =>
      ({ id, kind, parentRunId, startedAt: at(4), endedAt: at(24), durationMs: 20_000 }) as RunRow;
    const [lead, own, coagent] = [run('l', 'lead', null), run('s', 'spawn', 'l'), run('c', 'coagent', 's')];
    const of = (runId: string, one: Approval): Approval => ({ ...one, request: { ...one.request, runId } });
    const approvals = [of('l', approval(0, 4)), of('s', approval(6, 9)), of('c', approval(10, 12))];
    const around = { workflow, runs: [lead, own, coagent], approvals };
    expect(timesOfRun(own, around)).toEqual({ workMs: 15_000, waitedMs: 5000 });
    expect(timesOfRun(coagent, around)).toEqual({ workMs: 18_000, waitedMs: 2000 });
    expect(timesOfRun(lead, around)).toEqual({ workMs: 21_000, waitedMs: 9000 });
  });
});
