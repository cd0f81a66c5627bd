/** The mark by which a run is known within its workflow, wherever it is shown. Pure. */
import type { RunRow } from '#contract/view.ts';

export type AgentMark = 'lead' | 'first' | 'second' | 'third';

const OF_CHILDREN = ['first', 'second', 'third'] as const;

/** By the order in which sub-agents were asked for; from the fourth on they begin anew. Null for a run that is not there. */
export function agentMarkOf(
  runs: readonly Pick<RunRow, 'id' | 'workflowId' | 'parentRunId'>[],
  runId: string,
): AgentMark | null {
  const run = runs.find(({ id }) => id === runId);
  if (!run) return null;
  if (run.parentRunId === null) return 'lead';
  const children = runs.filter(({ workflowId, parentRunId }) => workflowId === run.workflowId && parentRunId !== null);
  return OF_CHILDREN[children.indexOf(run) % OF_CHILDREN.length] ?? null;
}
