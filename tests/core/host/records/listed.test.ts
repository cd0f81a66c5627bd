/** What a list tells of a row beyond what is stored: its times by cause, and of what serves a run whose it is. */
import { expect, test } from 'vitest';
import type { Approval } from '#contract/approval.ts';
import type { SubAgentExecution } from '#contract/execution.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { listedExecutions, listedWorkflows } from '#core/host/records/listed.ts';
import { serversOf } from '#core/host/records/run-words.ts';

const at = (seconds: number): string => new Date(Date.parse('2026-01-02T03:04:00.000Z') + seconds * 1000).toISOString();
const times = { startedAt: at(0), endedAt: at(30), durationMs: 30_000 };
const workflow = { id: 'w', ...times, workedMs: 8000 } as WorkflowRow;

const run = (id: string, kind: RunRow['kind'], rest: Partial<RunRow> = {}): RunRow =>
  ({ id, workflowId: 'w', kind, agent: id, parentRunId: 'lead', ...times, ...rest }) as RunRow;
const envelope = { stages: [{}, {}], flow: { rounds: 3 } } as unknown as RunRow['envelope'];
const runs = [
  run('lead', 'lead', { parentRunId: null }),
  run('finder', 'delegate', { envelope, workedMs: 5000 }),
  run('writer', 'chain', { parentRunId: 'finder', place: 1 }),
  run('critic', 'coagent', { parentRunId: 'finder', place: 2 }),
];
const approval = { request: { workflowId: 'w', runId: 'finder', at: at(2) }, decisions: [{ at: at(22) }] };
const store = {
  runsOf: () => Promise.resolve(runs),
  approvalsOf: () => Promise.resolve([approval as Approval]),
  workflow: () => Promise.resolve(workflow),
};
const execution = (id: string) => ({ id, sub_agent_id: id, workflow_id: 'w' }) as SubAgentExecution;

test('listed workflow times separate work from waiting for the person', async () => {
  const [listed] = await listedWorkflows(store, [workflow]);
  expect(listed?.times).toEqual({ workMs: 8000, waitedMs: 20_000 });
});

test('listed sub-agents, stages and rounds have separate work and waiting times and their position', async () => {
  const ids = ['finder', 'writer', 'critic', 'gone'];
  expect(await listedExecutions(store, ids.map(execution))).toEqual([
    { ...execution('finder'), worked_ms: 5000, waited_ms: 20_000 },
    { ...execution('writer'), worked_ms: 30_000, waited_ms: 0, serves: 'finder', place: 1, places: 2 },
    { ...execution('critic'), worked_ms: 30_000, waited_ms: 0, serves: 'finder', place: 2, places: 3 },
    execution('gone'),
  ]);
});

test('coagents come before stages, each in the order of rounds or positions', () => {
  const order = [
    ['chain', 2],
    ['coagent', 2],
    ['chain', 1],
    ['coagent', 1],
  ] as const;
  const runs = order.map(([kind, place]) => run(`${kind} ${place}`, kind, { parentRunId: 'finder', place }));
  const ids = serversOf({ id: 'finder' }, [...runs, run('other', 'chain')]).map(({ id }) => id);
  expect(ids).toEqual(['coagent 1', 'coagent 2', 'chain 1', 'chain 2']);
});
