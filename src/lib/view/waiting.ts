/** For what a run or a workflow waits, and how long it has. Pure. */
import type { Approval } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import { waitedForYouMs } from '#contract/approvals/waited.ts';
import type { Snapshot, WorkflowRow } from '#contract/view.ts';
import { aside, type Asides } from './compactions.ts';
import { elapsedMs } from './elapsed.ts';
import type { Phase } from './phase.ts';

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

/** What begins outside of the turns is told beside them. */
export function withTurn<V extends Pick<Snapshot, 'asking'> & Asides>(view: V, event: Begins): V {
  if (event.type === 'turn-start') return withAsking(view, event, event.atATime ?? null);
  return event.purpose === undefined ? withAsking(view, event, null) : aside(view, event.runId, event.purpose, true);
}

export interface Times {
  workMs: number;
  /** How long it waited for answers of the person. */
  waitedMs: number;
}

/** Null before the start. `entries`: of its lead's run. */
export function timesOf(
  workflow: WorkflowRow,
  approvals: readonly Approval[],
  entries: Parameters<typeof elapsedMs>[1],
  now: number,
): Times | null {
  const allMs = elapsedMs(workflow, entries, now);
  if (allMs === null) return null;
  const own = approvals.filter(({ request }) => request.workflowId === workflow.id);
  const end = workflow.endedAt === null ? now : Date.parse(workflow.endedAt);
  // What a copy waited is told with it: its questions stay where they were asked.
  const waitedMs = Math.min(allMs, workflow.taken?.waitedMs ?? waitedForYouMs(own, end));
  // Agents may work while a question waits: what is known of their work is that, and else what is left.
  const workedMs = workflow.taken?.workedMs ?? workflow.workedMs ?? 0;
  return { workMs: Math.max(workedMs, allMs - waitedMs), waitedMs };
}
