/** The stable JSON of `sessions list` and `sessions show`. Pure. */
import type { SubAgentSummary } from '#contract/event.ts';
import type { Missing } from '#contract/missing.ts';
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import { usageOf } from '#core/base/usage.ts';

/** A conversation with all that is asked about it. */
export interface Session {
  conversation: ConversationRow;
  /** Oldest first. */
  workflows: WorkflowRow[];
  /** Runs of all workflows, each workflow's in order of creation. */
  runs: RunRow[];
  /** What should be stored of it and cannot be found or read. */
  missing?: Missing[];
}

export function listedSession({ conversation, workflows, runs }: Session) {
  const { id, title, createdAt, updatedAt } = conversation;
  return {
    id,
    title,
    createdAt,
    updatedAt,
    ...trashed(conversation),
    usage: usageOf(conversation.usage),
    workflows: workflows.map((workflow) => listedWorkflow(workflow, runs)),
  };
}

export function shownSession({ conversation, workflows, runs, missing = [] }: Session) {
  const { id, title, folder, agent, createdAt, updatedAt } = conversation;
  return {
    id,
    title,
    folder,
    agent,
    createdAt,
    updatedAt,
    ...trashed(conversation),
    usage: usageOf(conversation.usage),
    ...(missing.length > 0 ? { missing } : {}),
    workflows: workflows.map((workflow) => {
      const { prompt, text, error, attempt, startedAt, endedAt, durationMs } = workflow;
      const times = { createdAt: workflow.createdAt, startedAt, endedAt, durationMs };
      return { ...listedWorkflow(workflow, runs), prompt, answer: text, error, attempt, ...times };
    }),
  };
}

/** Only what is in the trash says so. */
function trashed({ deletedAt }: Session['conversation']): { deletedAt?: string } {
  return deletedAt ? { deletedAt } : {};
}

function listedWorkflow({ id, outcome, status, usage }: WorkflowRow, runs: readonly RunRow[]) {
  const subAgents = runs.filter((run) => run.workflowId === id && run.parentRunId !== null).map(subAgent);
  return { id, outcome, status, subAgents, usage: usageOf(usage) };
}

/** The same form as in `workflow-end`. */
function subAgent({ id, agent, kind, status, outcome, durationMs, usage }: RunRow): SubAgentSummary {
  return { runId: id, agent, kind, status, outcome, durationMs, usage: usageOf(usage) };
}
