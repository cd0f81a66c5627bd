/** The mark by which a run is known within its workflow, wherever it is shown: on a screen, in a terminal. */
import { isServing, isSubAgent } from './serving.ts';
import type { RunKind } from '../agent.ts';

export type AgentMark = 'lead' | 'first' | 'second' | 'third';

/** What a mark looks like in text. */
export const MARK_SIGNS = { lead: '◆', first: '●', second: '■', third: '▲' } as const satisfies Record<
  AgentMark,
  string
>;

const OF_CHILDREN = ['first', 'second', 'third'] as const;

/** `index`: from 0, in the order in which the sub-agents of a workflow were asked for. */
export function markOfSubAgent(index: number): AgentMark {
  return OF_CHILDREN[index % OF_CHILDREN.length] ?? 'first';
}

interface Placed {
  id: string;
  kind: RunKind;
  parentRunId: string | null;
}

/** The run that it serves, and so on: the sub-agent or the lead that all of it is for. */
function servedBy<T extends Placed>(run: T, runs: readonly T[]): T {
  const parent = isServing(run) ? runs.find(({ id }) => id === run.parentRunId) : undefined;
  return parent ? servedBy(parent, runs) : run;
}

/**
 * By the order in which sub-agents were asked for; from the fourth on they begin anew. What serves a run has its mark.
 * Null for a run that is not there.
 */
export function agentMarkOf(runs: readonly (Placed & { workflowId: string })[], runId: string): AgentMark | null {
  const run = runs.find(({ id }) => id === runId);
  if (!run) return null;
  const served = servedBy(run, runs);
  if (!isSubAgent(served)) return 'lead';
  const subAgents = runs.filter((one) => one.workflowId === run.workflowId && isSubAgent(one));
  return markOfSubAgent(subAgents.indexOf(served));
}
