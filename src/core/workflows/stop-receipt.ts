/** The receipt of a stop for the person: what was ended, and what of the same workflow goes on, each by its name and place. */
import { isSubAgent } from '#contract/flows/serving.ts';
import type { RunRow, StoppedRun, StopReceipt } from '#contract/view.ts';
import type { Stop } from '../runs/run-tree.ts';
import type { Workflow } from './workflow.ts';

type Named = Stop['ended'];

export function receiptOf(workflow: Pick<Workflow, 'runs' | 'subAgents'>, { counts, ended, goOn }: Stop): StopReceipt {
  return { ...counts, ended: placed(workflow, ended), goOn: placed(workflow, goOn) };
}

/** Of a sub-agent that was stopped before it started: nothing of it has lived. */
export function unstartedReceipt(
  workflows: readonly Pick<Workflow, 'runs' | 'subAgents'>[],
  run: Pick<RunRow, 'id' | 'agent'> | null,
  approvals: 0 | 1,
): StopReceipt {
  const counts = { agents: 1, requests: 0, tools: 0, approvals, left: 0 };
  const workflow = workflows.find(({ subAgents }) => run !== null && subAgents.get(run.id));
  if (!workflow || !run) return { ...counts, ended: [], goOn: [] };
  const ended = [{ runId: run.id, agent: run.agent }];
  return receiptOf(workflow, { counts, ended, goOn: workflow.runs.all().filter(({ runId }) => runId !== run.id) });
}

/** Without what serves another run: it goes with that. */
function placed({ runs, subAgents }: Pick<Workflow, 'runs' | 'subAgents'>, named: Named): StoppedRun[] {
  const places = subAgents.summaries().filter(isSubAgent);
  return named.flatMap(({ runId, agent }) => {
    if (runId === runs.leadRunId) return [{ agent, place: 0 }];
    const index = places.findIndex((one) => one.runId === runId);
    return index < 0 ? [] : [{ agent, place: index + 1 }];
  });
}
