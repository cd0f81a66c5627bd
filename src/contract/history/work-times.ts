/** How long something worked, and how long it waited for the person: the one definition for lists, pages, commands and exports. Pure. */
import type { Approval } from '../approval.ts';
import { waitedForYouMs } from '../approvals/waited.ts';
import type { RunRow, WorkflowRow } from '../view.ts';

export interface Times {
  workMs: number;
  /** How long answers of the person were waited for; agents may work meanwhile. */
  waitedMs: number;
}

/** Of what has not ended: how long it has lasted, without downtime, and the time that it is; both in milliseconds. */
interface Until {
  allMs: number | null;
  now: number;
}

type TimedWorkflow = Pick<WorkflowRow, 'id' | 'endedAt' | 'durationMs' | 'workedMs' | 'copiedFrom'>;
type TimedRun = Pick<RunRow, 'id' | 'kind' | 'endedAt' | 'durationMs' | 'workedMs'>;

/** Null before the start; before the end too where `until` is null. `approvals`: also those of others. */
export function timesOfWorkflow(
  workflow: TimedWorkflow,
  approvals: readonly Approval[],
  until: Until | null = null,
): Times | null {
  const own = approvals.filter(({ request }) => request.workflowId === workflow.id);
  // What a copy waited is told with it: its questions stay where they were asked.
  const { waitedMs, workedMs = workflow.workedMs } = workflow.copiedFrom ?? {};
  return timesIn({ ...workflow, workedMs }, (end) => waitedMs ?? waitedForYouMs(own, end), until);
}

/** What the times of a run are known from: the rows of its workflow. */
export interface Around {
  workflow: TimedWorkflow;
  runs: readonly Pick<RunRow, 'id' | 'kind' | 'parentRunId'>[];
  approvals: readonly Approval[];
}

/** The lead's are those of its workflow. Null as there. */
export function timesOfRun(run: TimedRun, around: Around, until: Until | null = null): Times | null {
  if (run.kind === 'lead') return timesOfWorkflow(around.workflow, around.approvals, until);
  return timesOfExecution(run, around, until);
}

/** Of any other run: one that a coagent serves waits with that. Null as there. */
export function timesOfExecution(
  run: TimedRun,
  { runs, approvals }: Omit<Around, 'workflow'>,
  until: Until | null = null,
): Times | null {
  const coagents = runs.filter(({ kind, parentRunId }) => kind === 'coagent' && parentRunId === run.id);
  const ids = new Set([run.id, ...coagents.map(({ id }) => id)]);
  const own = approvals.filter(({ request }) => ids.has(request.runId));
  return timesIn(run, (end) => waitedForYouMs(own, end), until);
}

function timesIn(
  { endedAt, durationMs, workedMs }: Pick<TimedRun, 'endedAt' | 'durationMs' | 'workedMs'>,
  waitedUntil: (end: number) => number,
  until: Until | null,
): Times | null {
  const allMs = durationMs ?? until?.allMs ?? null;
  if (allMs === null) return null;
  const end = endedAt === null ? (until?.now ?? 0) : Date.parse(endedAt);
  const waitedMs = Math.min(allMs, waitedUntil(end));
  const rest = allMs - waitedMs;
  // What was counted leaves out every wait, also for a slot or a provider; while it works the count is behind.
  return { workMs: durationMs === null ? Math.max(workedMs ?? 0, rest) : Math.min(allMs, workedMs ?? rest), waitedMs };
}
