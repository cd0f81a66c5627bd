/** A workflow's runs as a tree in order, with their times as parts of the whole. */
import type { RunRow, WorkflowRow } from '#contract/view.ts';

export interface Lane {
  run: RunRow;
  /** Percent of the workflow's time. */
  queue: { from: number; width: number };
  work: { from: number; width: number } | null;
  queuedMs: number;
  ranMs: number | null;
}

export function lanesOf(workflow: WorkflowRow, runs: readonly RunRow[], now: number): Lane[] {
  const start = Date.parse(workflow.createdAt);
  const ends = runs.map(({ endedAt }) => (endedAt === null ? now : Date.parse(endedAt)));
  const length = Math.max(1, Math.max(start + 1, ...ends) - start);
  const part = (from: number, to: number) => ({
    from: ((from - start) / length) * 100,
    width: (Math.max(0, to - from) / length) * 100,
  });
  return inOrder(runs, null).map((run) => {
    const queued = Date.parse(run.queuedAt);
    const ended = run.endedAt === null ? now : Date.parse(run.endedAt);
    const started = run.startedAt === null ? null : Date.parse(run.startedAt);
    return {
      run,
      queue: part(queued, started ?? ended),
      work: started === null ? null : part(started, ended),
      queuedMs: (started ?? ended) - queued,
      ranMs: started === null ? null : (run.durationMs ?? ended - started),
    };
  });
}

function inOrder(runs: readonly RunRow[], parent: string | null): RunRow[] {
  return runs
    .filter(({ parentRunId }) => parentRunId === parent)
    .flatMap((run) => [run, ...inOrder(runs, run.id)]);
}
