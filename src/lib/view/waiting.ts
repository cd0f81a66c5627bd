/** For what a run or a workflow waits, and how long it has. Pure. */
import type { Approval } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { RunRow, Snapshot, WorkflowRow } from '#contract/view.ts';
import { type Around, type Times, timesOfRun, timesOfWorkflow } from '#contract/history/work-times.ts';
import { elapsedMs } from './elapsed.ts';
import type { Link } from './family.ts';
import type { Phase } from './phase.ts';
import { type SideRequests, withSideRequest } from './side-requests.ts';
import type { RunEntries } from './run-entries.ts';

type Begins = Extract<DurableEvent, { type: 'turn-start' | 'request-start' }>;

/** How many requests at a time the provider takes for whose turn a running agent waits; null: for none. */
export function waitsForModel({
  view,
  runId,
  phase,
}: {
  view: Pick<Snapshot, 'asking'> | null;
  runId: string;
  phase: Phase;
}): number | null {
  return phase === 'running' ? (view?.asking?.[runId] ?? null) : null;
}

/** Between the start of a turn that has to wait and that of its request a run waits; null: no more. */
export function withAsking<V extends Pick<Snapshot, 'asking'>>(
  view: V,
  { runId }: { runId: string },
  atATime: number | null,
): V {
  const { [runId]: _before, ...asking } = view.asking ?? {};
  return { ...view, asking: atATime === null ? asking : { ...asking, [runId]: atATime } };
}

/** Returns the view after the start of a turn or of a request. */
export function withTurn<V extends Pick<Snapshot, 'asking'> & SideRequests>(view: V, event: Begins): V {
  if (event.type === 'turn-start') return withAsking(view, event, event.atATime ?? null);
  const { runId, purpose } = event;
  return purpose === undefined
    ? withAsking(view, event, null)
    : withSideRequest(view, { runId, purpose, isOpen: true });
}

/** Of a workflow until now; null before the start. `entries`: of its lead's run. */
export function timesOf(
  workflow: WorkflowRow,
  approvals: readonly Approval[],
  entries: readonly Entry[],
  now: number,
): Times | null {
  return timesOfWorkflow(workflow, approvals, { allMs: elapsedMs(workflow, entries, now), now });
}

/** Of a run until now; null before the start. `entries`: its own. */
export function runTimesOf(run: RunRow, around: Around, entries: readonly Entry[], now: number): Times | null {
  return timesOfRun(run, around, { allMs: elapsedMs(run, entries, now), now });
}

/** How long a run has worked until now, in milliseconds. */
export function workMsOf(run: RunRow, view: Known | null, now: number): number {
  const workflow = view?.workflows.find(({ id }) => id === run.workflowId);
  if (!view || !workflow) return 0;
  const wait = view.waits?.[run.id];
  // The clock of a run stands still while its request waits.
  const until = wait && wait.delayMs !== null ? Math.min(now, Date.parse(wait.at)) : now;
  return runTimesOf(run, { ...view, workflow }, view.entries.get(run.id) ?? [], until)?.workMs ?? 0;
}

/** The same of all stages of a chain that have begun. */
export function chainWorkMs(links: readonly Pick<Link, 'run'>[], view: Known | null, now: number): number {
  return links.reduce((sum, { run }) => sum + (run ? workMsOf(run, view, now) : 0), 0);
}

type Known = Pick<Snapshot, 'workflows' | 'runs' | 'approvals' | 'waits'> & { entries: RunEntries };
