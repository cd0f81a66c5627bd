/** How long agents waited for answers of the person. Pure. */
import type { Approval } from '../approval.ts';
import { coveredMs } from '../run-spans.ts';

/** Milliseconds in which at least one question of these was open until `now`, overlaps counted once. */
export function waitedForYouMs(approvals: readonly Approval[], now: number): number {
  const spans = approvals.flatMap(({ request, decisions }) =>
    decisions.map((decision) => ({
      from: Date.parse(request.at),
      to: decision === null ? now : Math.min(now, Date.parse(decision.at)),
    })),
  );
  return coveredMs(spans);
}
