/** Elapsed time of a run: the time since its start without the pauses between its attempts. */
import type { Entry } from '#contract/message.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';

/** A run, or a workflow, which lasts as long as its lead's run. */
type Timed = Pick<RunRow | WorkflowRow, 'startedAt' | 'durationMs'>;

/**
 * Milliseconds; null before the start. `now`: epoch milliseconds. `entries` are those of the run itself: each attempt
 * after the first begins with a system entry, and the entry before that is the last activity of the previous attempt.
 */
export function elapsedMs(timed: Timed, entries: readonly Entry[], now: number): number | null {
  if (timed.durationMs !== null) return timed.durationMs;
  if (timed.startedAt === null) return null;
  return Math.max(0, now - Date.parse(timed.startedAt) - pausedMs(entries));
}

/** Whether a further attempt begins with this system entry. */
export function beginsAttempt(entry: Entry): boolean {
  return entry.kind === 'system' && (entry.code === 'resumed' || entry.code === 'retried');
}

function pausedMs(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry, index) => {
    const before = entries[index - 1];
    if (before === undefined || !beginsAttempt(entry)) return sum;
    return sum + Math.max(0, Date.parse(entry.at) - Date.parse(before.at));
  }, 0);
}
