/** Where a run, a call or a question stands, in the words that the screens show. */
import type { Approval, Risk, SpawnItem } from '#contract/approval.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { spawnItemsOf } from './subject.ts';

/** A running thing's phase, or an ended one's outcome. */
export type Phase = 'queued' | 'waiting' | 'running' | Outcome;

export function isActive(phase: Phase): boolean {
  return phase === 'queued' || phase === 'waiting' || phase === 'running';
}

/** Whether what ended like this did not complete and may be tried again; an interrupted run goes on with its workflow. */
export function canTryAgain(outcome: Outcome | null): boolean {
  return outcome === 'error' || outcome === 'timed_out' || outcome === 'cancelled' || outcome === 'refused';
}

/** One thing to answer: a tool call, or one item of a question about sub-agents. */
export interface Question {
  /** The run that would start, or the approval's own id. */
  key: string;
  approval: Approval;
  item: number;
  /** The call that asks. */
  callId: string;
  agent: string;
  title: string;
  risk: Risk;
  at: string;
  /** The item's envelope; null for a tool call. */
  spawn: SpawnItem | null;
  /** Its workflow was interrupted: an answer resumes it. */
  asleep: boolean;
}

const RISKS: readonly Risk[] = ['high', 'medium', 'low'];

/** Everything that nobody has answered yet: the most risky first, then the oldest. */
export function questionsOf(approvals: readonly Approval[], asleep = false): Question[] {
  return approvals
    .flatMap((approval) =>
      approval.decisions.flatMap((decision, item) =>
        decision === null ? [{ ...questionOf(approval, item), asleep }] : [],
      ),
    )
    .sort((a, b) => RISKS.indexOf(a.risk) - RISKS.indexOf(b.risk) || a.at.localeCompare(b.at) || a.item - b.item);
}

/** A run without an end in a workflow that has one waits to be resumed. */
export function phaseOfRun(run: RunRow, approvals: readonly Approval[], workflows: readonly WorkflowRow[]): Phase {
  if (run.outcome !== null) return run.outcome;
  if (workflows.some(({ id, outcome }) => id === run.workflowId && outcome !== null)) return 'interrupted';
  if (approvals.some((approval) => waitsFor(approval, run))) return 'waiting';
  return run.status === 'pending' ? 'queued' : 'running';
}

export function phaseOfWorkflow(workflow: WorkflowRow, approvals: readonly Approval[]): Phase {
  if (workflow.outcome !== null) return workflow.outcome;
  const waiting = approvals.some(
    ({ request, decisions }) => request.workflowId === workflow.id && decisions.includes(null),
  );
  if (waiting) return 'waiting';
  return workflow.status === 'pending' ? 'queued' : 'running';
}

/** A question holds up the run that asks and, where sub-agents are asked for, the run that would start. */
function waitsFor({ request, decisions }: Approval, run: RunRow): boolean {
  if (request.runId === run.id) return decisions.includes(null);
  const item = spawnItemsOf(request).findIndex(({ runId }) => runId === run.id);
  return item >= 0 && decisions[item] === null;
}

function questionOf(approval: Approval, item: number): Omit<Question, 'asleep'> {
  const { request } = approval;
  const spawn = spawnItemsOf(request)[item] ?? null;
  return {
    key: spawn?.runId ?? request.id,
    approval,
    item,
    callId: request.toolCallId,
    agent: spawn?.envelope.agent ?? request.agent,
    title: spawn?.title || request.title,
    risk: request.risk,
    at: request.at,
    spawn,
  };
}
