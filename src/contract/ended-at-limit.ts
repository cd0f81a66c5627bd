/** Whether work ended because a limit was reached, so that it goes on when that is raised. */
import type { ErrorInfo } from './error.ts';
import type { Outcome } from './outcome.ts';

/** Also where its time was up; one that went silent is `timed_out` with the code `inactive`. */
export function endedAtLimit({ outcome, error }: { outcome: Outcome | null; error: ErrorInfo | null }): boolean {
  return outcome === 'budget_exceeded' || (outcome === 'timed_out' && error?.code === 'limit_reached');
}
