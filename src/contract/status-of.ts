/** The status of everything that ended, by its outcome; without a schema, so that pages need no parser for it. */
import type { Outcome, Status } from './outcome.ts';

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
