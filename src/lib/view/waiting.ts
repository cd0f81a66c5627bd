/** For what a run or a workflow waits, and how long it has. Pure. */
import type { Approval } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import type { Snapshot, WorkflowRow } from '#contract/view.ts';
import { aside, type Asides } from './compactions.ts';
import { elapsedMs } from './elapsed.ts';
import type { Phase } from './phase.ts';

type Begins = Extract<DurableEvent, { type: 'turn-start' | 'request-start' }>;

/** A request that may go at once is asked for a moment, too. */
const MOMENT_MS = 500;

/** Whether a running agent waits for its turn at the model: its provider answers so many requests at a time. */
export function waitsForModel(
  { view, runId, phase }: { view: Pick<Snapshot, 'asking'> | null; runId: string; phase: Phase },
  now: number,
): boolean {
  const since = view?.asking?.[runId];
  return phase === 'running' && since !== undefined && now - Date.parse(since) > MOMENT_MS;
}

/** Between the start of a turn and that of its request a run waits for the model; null: no more. */
export function withAsking<V extends Pick<Snapshot, 'asking'>>(
  view: V,
  { runId }: { runId: string },
  at: string | null,
): V {
  const { [runId]: _before, ...asking } = view.asking ?? {};
  return { ...view, asking: at === null ? asking : { ...asking, [runId]: at } };
}

/** What begins outside of the turns is told beside them. */
export function withTurn<V extends Pick<Snapshot, 'asking'> & Asides>(view: V, event: Begins): V {
  if (event.type === 'turn-start') return withAsking(view, event, event.at);
  return event.purpose === undefined ? withAsking(view, event, null) : aside(view, event.runId, event.purpose, true);
}

interface Span {
  from: number;
  to: number;
}

/** Milliseconds in which at least one question of these was open until `now`, overlaps counted once. */
export function waitedForYouMs(approvals: readonly Approval[], now: number): number {
  const spans = approvals.flatMap(({ request, decisions }): Span[] =>
    decisions.map((decision) => ({
      from: Date.parse(request.at),
      to: decision === null ? now : Date.parse(decision.at),
    })),
  );
  let until = -Infinity;
  return spans
    .sort((a, b) => a.from - b.from)
    .reduce((sum, { from, to }) => {
      const added = Math.max(0, to - Math.max(from, until));
      until = Math.max(until, to);
      return sum + added;
    }, 0);
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
  const waitedMs = Math.min(allMs, waitedForYouMs(own, end));
  // Agents may work while a question waits: what is known of their work is that, and else what is left.
  return { workMs: Math.max(workflow.workedMs ?? 0, allMs - waitedMs), waitedMs };
}
