// A run has one mark within its workflow, by the order in which sub-agents were asked for.
import { expect, it } from 'vitest';
import type { RunKind } from '#contract/agent.ts';
import { agentMarkOf } from '#contract/flows/agent-mark.ts';

const run = (
  id: string,
  workflowId: string,
  parentRunId: string | null,
  kind: RunKind = parentRunId ? 'spawn' : 'lead',
) => ({ id, workflowId, parentRunId, kind });
const runs = [
  run('lead', 'w', null),
  run('other lead', 'v', null),
  run('other child', 'v', 'other lead'),
  ...['a', 'b', 'c', 'd'].map((id) => run(id, 'w', 'lead')),
];

it('numbers the sub-agents of each workflow separately, and starts again after the third', () => {
  expect(runs.map(({ id }) => agentMarkOf(runs, id))).toEqual([
    ...['lead', 'lead', 'first'],
    ...['first', 'second', 'third', 'first'],
  ]);
});

it('returns null for an unknown run', () => {
  expect(agentMarkOf(runs, 'gone')).toBeNull();
});
