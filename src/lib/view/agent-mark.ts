/** The mark by which a run is known within its workflow, wherever it is shown. Pure. */
import { isSubAgent } from '#contract/flows/serving.ts';
import type { RunRow } from '#contract/view.ts';
import { servedBy } from './family.ts';

export type AgentMark = 'lead' | 'first' | 'second' | 'third';

const OF_CHILDREN = ['first', 'second', 'third'] as const;

/**
 * By the order in which sub-agents were asked for; from the fourth on they begin anew. What serves a run has its mark.
 * Null for a run that is not there.
 */
export function agentMarkOf(
  runs: readonly Pick<RunRow, 'id' | 'workflowId' | 'kind' | 'parentRunId'>[],
  runId: string,
): AgentMark | null {
  const run = runs.find(({ id }) => id === runId);
  if (!run) return null;
  const served = servedBy(run, runs);
  if (!isSubAgent(served)) return 'lead';
  const subAgents = runs.filter((one) => one.workflowId === run.workflowId && isSubAgent(one));
  return markAt(subAgents.indexOf(served));
}

/** Of the sub-agent at this place (from 0) in the order in which they were asked for; null below 0. */
export function markAt(index: number): AgentMark | null {
  return OF_CHILDREN[index % OF_CHILDREN.length] ?? null;
}
