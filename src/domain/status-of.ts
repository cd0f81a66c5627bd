/** The status of everything that ended, by its outcome; without a schema, so that pages need no parser for it. */
import type { Outcome, Status } from '#contract/outcome.ts';

/** The status that a run, workflow or row has once it ended with an outcome. */
export const STATUS_OF = {
  completed: 'completed',
  partial: 'completed',
  cancelled: 'cancelled',
  rejected: 'cancelled',
  timed_out: 'error',
  budget_exceeded: 'error',
  refused: 'error',
  error: 'error',
  interrupted: 'error',
} as const satisfies Readonly<Record<Outcome, Status>>;

/** In the contract's order. */
export const OUTCOMES = Object.keys(STATUS_OF) as readonly Outcome[];

/** Returns whether the message of a workflow was cancelled while it waited in the queue. */
export function isWithdrawn({ outcome, startedAt }: { outcome: Outcome | null; startedAt: string | null }): boolean {
  return outcome === 'cancelled' && startedAt === null;
}

/** Returns the state of a workflow in one word, for a terminal. */
export function formatState(workflow: { outcome: Outcome | null; status: Status; startedAt: string | null }): string {
  return isWithdrawn(workflow) ? 'withdrawn' : (workflow.outcome ?? workflow.status);
}
