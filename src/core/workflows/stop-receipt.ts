/** The receipt of a stop for the person: what was ended, and what of the same workflow goes on, each by its name and place. */
import { isSubAgent } from '#contract/flows/serving.ts';
import type { RunRow, StoppedRun, StopReceipt } from '#contract/view.ts';
import type { Stop } from '#core/runs/workflow/run-tree.ts';
import type { Workflow } from '#core/runs/workflow/workflow.ts';

type Named = Stop['ended'];

/** The queued messages of a conversation: the workflows that the stop cancelled, and how many still wait. */
export type QueueChange = Pick<StopReceipt, 'withdrawn' | 'queued'>;

export function receiptOf(
  workflow: Pick<Workflow, 'runs' | 'subAgents'>,
  { counts, ended, goOn }: Stop,
  queue: QueueChange,
): StopReceipt {
  return { ...counts, ended: placed(workflow, ended), goOn: placed(workflow, goOn), ...queue };
}

/** The receipt of a stop that only cancelled queued messages: no run of them had started. */
export function withdrawalReceipt(queue: QueueChange): StopReceipt {
  return { agents: 0, requests: 0, tools: 0, approvals: 0, left: 0, ended: [], goOn: [], ...queue };
}

/** Of a sub-agent that was stopped before it started: nothing of it has lived. */
export function unstartedReceipt(
  workflows: readonly Pick<Workflow, 'runs' | 'subAgents' | 'conversationId'>[],
  run: Pick<RunRow, 'id' | 'agent'> | null,
  approvals: 0 | 1,
  queueChange: (workflow: Pick<Workflow, 'conversationId'>) => QueueChange,
): StopReceipt {
  const counts = { agents: 1, requests: 0, tools: 0, approvals, left: 0 };
  const workflow = workflows.find(({ subAgents }) => run !== null && subAgents.get(run.id));
  if (!workflow || !run) return { ...counts, ended: [], goOn: [], withdrawn: [], queued: 0 };
  const ended = [{ runId: run.id, agent: run.agent }];
  const goOn = workflow.runs.all().filter(({ runId }) => runId !== run.id);
  return receiptOf(workflow, { counts, ended, goOn }, queueChange(workflow));
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
