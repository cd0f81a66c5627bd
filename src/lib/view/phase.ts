/** The phase of a run or a workflow, and the open questions, as the screens show them. */
import { isSpawn, spawnIndex, spawnItems } from '#contract/spawn-items.ts';
import type { Approval, Risk, SpawnItem } from '#contract/approval.ts';
import type { Outcome } from '#contract/outcome.ts';
import { isWithdrawn } from '#domain/status-of.ts';
import type { SubAgentExecution } from '#contract/execution.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';

/** The phase of active work, or the outcome of ended work. */
export type Phase = 'queued' | 'waiting' | 'running' | 'withdrawn' | Outcome;

export function isActive(phase: Phase): boolean {
  return phase === 'queued' || phase === 'waiting' || phase === 'running';
}

/** Whether work with this outcome may be started again; an interrupted run is resumed with its workflow instead. */
export function canTryAgain(outcome: Outcome | null): boolean {
  return outcome === 'error' || outcome === 'timed_out' || outcome === 'cancelled' || outcome === 'refused';
}

/** Whether there is something to do about a workflow that ended, other than to read it. */
export function canGoOn({ outcome, error }: Pick<WorkflowRow, 'outcome' | 'error'>): boolean {
  return outcome === 'interrupted' || (outcome !== null && (error != null || canTryAgain(outcome)));
}

/** One answerable item of an approval request: a tool call, or one sub-agent. */
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
  /** Its workflow is interrupted: an answer resumes it. */
  asleep: boolean;
}

/** All items without an answer. */
export function questionsOf(approvals: readonly Approval[], asleep = false): Question[] {
  return approvals.flatMap((approval) =>
    approval.decisions.flatMap((decision, item) =>
      decision === null ? [{ ...questionOf(approval, item), asleep }] : [],
    ),
  );
}

/** A run without an outcome in a workflow that has one is interrupted. */
export function phaseOfRun(run: RunRow, approvals: readonly Approval[], workflows: readonly WorkflowRow[]): Phase {
  if (run.outcome !== null) return run.outcome;
  if (workflows.some(({ id, outcome }) => id === run.workflowId && outcome !== null)) return 'interrupted';
  return openPhase(run, approvals);
}

export function phaseOfWorkflow(workflow: WorkflowRow, approvals: readonly Approval[]): Phase {
  if (workflow.outcome !== null) return isWithdrawn(workflow) ? 'withdrawn' : workflow.outcome;
  const waiting = approvals.some(
    ({ request, decisions }) => request.workflowId === workflow.id && decisions.includes(null),
  );
  if (waiting) return 'waiting';
  return workflow.status === 'pending' ? 'queued' : 'running';
}

/** Whether the lead does not wait for the report of a sub-agent: its question said so. */
export function isInBackground({ id }: Pick<RunRow, 'id'>, approvals: readonly Approval[]): boolean {
  return approvals.some(
    ({ request: { subject } }) => isSpawn(subject) && subject.background === true && spawnIndex(subject, id) >= 0,
  );
}

export function phaseOfExecution(execution: SubAgentExecution, approvals: readonly Approval[]): Phase {
  return execution.outcome ?? openPhase(execution, approvals);
}

/** Of a run without an outcome. */
function openPhase(run: Pick<RunRow, 'id' | 'status'>, approvals: readonly Approval[]): Phase {
  if (approvals.some((approval) => waitsFor(approval, run))) return 'waiting';
  if (run.status !== 'pending') return 'running';
  return isRejected(approvals, run) ? 'rejected' : 'queued';
}

/** The reason with which the person rejected a run; empty: without one, null: they did not. */
export function reasonOfNo(run: Pick<RunRow, 'id'>, approvals: readonly Approval[]): string | null {
  const decisions = approvals.map(({ request, decisions: all }) => all[spawnIndex(request.subject, run.id)]);
  const no = decisions.find((one) => one?.allowed === false && one.decidedBy === 'person');
  return no ? (no.reason ?? '') : null;
}

/** A no is known at once; its run ends with it only when all that was asked about together is answered. */
function isRejected(approvals: readonly Approval[], run: Pick<RunRow, 'id'>): boolean {
  return approvals.some(({ request, decisions }) => {
    const decision = decisions[spawnIndex(request.subject, run.id)];
    return decision?.allowed === false && decision.decidedBy !== 'cancel';
  });
}

/** Whether an open question blocks a run: the one that asks, or the sub-agent that would start. */
function waitsFor({ request, decisions }: Approval, run: Pick<RunRow, 'id'>): boolean {
  if (request.runId === run.id) return decisions.includes(null);
  const item = spawnIndex(request.subject, run.id);
  return item >= 0 && decisions[item] === null;
}

/** Whether a sub-agent has its yes, and starts once those that were asked about together with it are answered. */
export function waitsForOthers(run: Pick<RunRow, 'id'>, approvals: readonly Approval[]): boolean {
  return approvals.some(({ request, decisions }) => {
    const own = decisions[spawnIndex(request.subject, run.id)];
    return own?.allowed === true && decisions.includes(null);
  });
}

function questionOf(approval: Approval, item: number): Omit<Question, 'asleep'> {
  const { request } = approval;
  const spawn = spawnItems(request.subject)[item] ?? null;
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
