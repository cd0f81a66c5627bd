/** How long agents waited for answers of the person. Pure. */
import type { Approval } from '../approval.ts';

interface Span {
  from: number;
  to: number;
}

/** Milliseconds in which at least one question of these was open until `now`, overlaps counted once. */
export function waitedForYouMs(approvals: readonly Approval[], now: number): number {
  const spans = approvals.flatMap(({ request, decisions }): Span[] =>
    decisions.map((decision) => ({
      from: Date.parse(request.at),
      to: decision === null ? now : Math.min(now, Date.parse(decision.at)),
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
