/** What lists of the history tell of a row beyond what is stored in it: read for the rows of a page alone. */
import { isServing } from '#contract/flows/serving.ts';
import type { ListedExecution, SubAgentExecution } from '#contract/execution.ts';
import type { ListedWorkflow, RunRow, WorkflowRow } from '#contract/view.ts';
import { timesOfExecution, timesOfWorkflow } from '#contract/history/work-times.ts';
import type { Store } from '#core/store/store.ts';

export async function listedWorkflows(
  store: Pick<Store, 'approvalsOf'>,
  workflows: readonly WorkflowRow[],
): Promise<ListedWorkflow[]> {
  const approvals = await store.approvalsOf(workflows.map(({ id }) => id));
  return workflows.map((workflow) => ({ ...workflow, times: timesOfWorkflow(workflow, approvals) }));
}

export async function listedExecutions(
  store: Pick<Store, 'approvalsOf' | 'runsOf'>,
  executions: readonly SubAgentExecution[],
): Promise<ListedExecution[]> {
  const ids = [...new Set(executions.map(({ workflow_id }) => workflow_id))];
  const [runs, approvals] = await Promise.all([store.runsOf(ids), store.approvalsOf(ids)]);
  return executions.map((execution) => {
    const run = runs.find(({ id }) => id === execution.sub_agent_id);
    if (!run) return execution;
    const times = timesOfExecution(run, { runs, approvals });
    return {
      ...execution,
      ...(times && { worked_ms: Math.round(times.workMs), waited_ms: Math.round(times.waitedMs) }),
      ...servedOf(run, runs),
    };
  });
}

/** Whom it serves, and how many serve that in the same way at most. */
function servedOf(run: RunRow, runs: readonly RunRow[]): Pick<ListedExecution, 'serves' | 'place' | 'places'> {
  const served = isServing(run) ? runs.find(({ id }) => id === run.parentRunId) : undefined;
  if (!served) return {};
  const { stages, flow } = served.envelope;
  const places = run.kind === 'chain' ? stages.length : flow?.rounds;
  return { serves: served.agent, ...(run.place != null && { place: run.place }), ...(places && { places }) };
}
