/** The stable JSON of `sessions list` and `sessions show`. Pure. */
import type { Approval } from '#contract/approval.ts';
import { notesOf, wroteOf } from '#domain/call-row.ts';
import { isReported } from '#contract/flows/serving.ts';
import type { SubAgentSummary } from '#contract/event.ts';
import type { ForkedFrom } from '#contract/messages/fork.ts';
import type { Missing } from '#contract/missing.ts';
import type { ConversationRow, RunRow, SessionWork, ToolCallRow, WorkflowRow } from '#contract/view.ts';
import { type Around, type Times, timesOfRun, timesOfWorkflow } from '#contract/history/work-times.ts';
import { usageOf } from '#core/base/usage.ts';
import { timeFields } from './format.ts';

type WorkTimes = ReturnType<typeof timeFields>;

/** A conversation with all that is asked about it. */
export interface Session {
  conversation: ConversationRow;
  /** Oldest first. */
  workflows: WorkflowRow[];
  /** Runs of all workflows, each workflow's in order of creation. */
  runs: RunRow[];
  /** All that was asked in them. */
  approvals: Approval[];
  /** Of these runs, where they are asked about. */
  calls?: ToolCallRow[];
  /** The notes that link to it, where they are asked about. */
  linking?: string[];
  /** What should be stored of it and cannot be found or read. */
  missing?: Missing[];
}

/** A conversation in a list. */
export interface ListedSession {
  conversation: ConversationRow;
  /** Oldest first. */
  workflows: SessionWork['workflows'];
}

export function listedSession({ conversation, workflows }: ListedSession) {
  const { id, title, createdAt, updatedAt } = conversation;
  return {
    id,
    title,
    createdAt,
    updatedAt,
    ...trashed(conversation),
    ...fromOf(conversation),
    usage: usageOf(conversation.usage),
    workflows: workflows.map(({ subAgentCount: _, ...workflow }) => workflow),
  };
}

export function shownSession(session: Session) {
  const { conversation, workflows, runs, approvals, calls = [], linking = [], missing = [] } = session;
  const { id, title, folder, agent, createdAt, updatedAt } = conversation;
  return {
    id,
    title,
    folder,
    agent,
    createdAt,
    updatedAt,
    ...trashed(conversation),
    ...fromOf(conversation),
    usage: usageOf(conversation.usage),
    ...(missing.length > 0 ? { missing } : {}),
    linkingNotes: linking,
    workflows: workflows.map((workflow) => {
      const { prompt, images, text, error, attempt, startedAt, endedAt, durationMs } = workflow;
      const worked = timeFields(timesOfWorkflow(workflow, approvals));
      const times = { createdAt: workflow.createdAt, startedAt, endedAt, durationMs, ...worked };
      const own = runs.filter(({ workflowId }) => workflowId === workflow.id);
      const writes = own.flatMap((run) => writesOf(run, calls));
      const ids = new Set(own.map((run) => run.id));
      const notes = notesOf(calls.filter(({ runId }) => ids.has(runId)));
      return {
        ...listedWorkflow(workflow, { runs: own, approvals }),
        ...(workflow.copiedFrom ? { copiedFrom: workflow.copiedFrom } : {}),
        ...(workflow.from ? { from: workflow.from } : {}),
        ...(workflow.forks ? { forks: workflow.forks } : {}),
        prompt,
        ...(images ? { images } : {}),
        answer: text,
        error,
        attempt,
        ...times,
        writes,
        notes,
      };
    }),
  };
}

/** What a run wrote to files; `undos`: each time that the person undid that or had it written again. */
function writesOf({ id, agent }: RunRow, calls: readonly ToolCallRow[]) {
  return calls.flatMap((call) => {
    const [path, ...also] = wroteOf(call);
    if (call.runId !== id || path === undefined) return [];
    const { toolCallId, endedAt: at, undone = false, undos = [] } = call;
    return [{ runId: id, toolCallId, agent, path, also, at, undone, undos: undos.map(({ path: _, ...undo }) => undo) }];
  });
}

/** Only what is in the trash says so. */
function trashed({ deletedAt }: Session['conversation']): { deletedAt?: string } {
  return deletedAt ? { deletedAt } : {};
}

/** Only a fork says where it is from. */
function fromOf({ from }: Session['conversation']): { from?: ForkedFrom } {
  return from ? { from } : {};
}

function listedWorkflow(workflow: WorkflowRow, rows: Pick<Around, 'approvals'> & { runs: readonly RunRow[] }) {
  const { id, outcome, status, usage } = workflow;
  const around = { workflow, ...rows };
  const subAgents = rows.runs.filter(isReported).map((run) => subAgent(run, timesOfRun(run, around)));
  return { id, outcome, status, subAgents, usage: usageOf(usage) };
}

/** The form of `workflow-end`, with its times; `copiedFrom`: the run that a fork made it of. */
function subAgent(run: RunRow, times: Times | null): SubAgentSummary & Pick<RunRow, 'copiedFrom'> & WorkTimes {
  const { id, agent, kind, status, outcome, durationMs, usage, copiedFrom } = run;
  const summary = { runId: id, agent, kind, status, outcome, durationMs, ...timeFields(times), usage: usageOf(usage) };
  return copiedFrom ? { ...summary, copiedFrom } : summary;
}
