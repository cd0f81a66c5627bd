/** The contract's status of each outcome, without its schemas: the page has no use for a parser. */
import type { Outcome, STATUS_OF } from '#contract/outcome.ts';

export const statusOf = {
  completed: 'completed',
  partial: 'completed',
  cancelled: 'cancelled',
  rejected: 'cancelled',
  timed_out: 'error',
  budget_exceeded: 'error',
  refused: 'error',
  error: 'error',
  interrupted: 'error',
} as const satisfies typeof STATUS_OF;

/** In the contract's order. */
export const OUTCOMES = Object.keys(statusOf) as readonly Outcome[];
