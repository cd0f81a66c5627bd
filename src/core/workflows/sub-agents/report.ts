/** What a lead gets to know of a sub-agent: the report, capped, and the metrics. */
import { STATUS_OF } from '#contract/status-of.ts';
import type { RunRow } from '#contract/view.ts';
import type { EndedRun } from '../../runs/run.ts';
import type { ChildReport } from '../../tools/children.ts';
import { reportPage } from '../../tools/read-report.ts';

/** Of a sub-agent that did nothing (yet). */
export const EMPTY_REPORT = { report: '', error: null, durationMs: 0, tokensInput: 0, tokensOutput: 0 };

export function reportOf({
  runId,
  agent,
  outcome,
  text,
  error,
  durationMs,
  tally,
}: EndedRun & { runId: string; agent: string }): ChildReport {
  return {
    runId,
    agent,
    status: STATUS_OF[outcome],
    outcome,
    report: reportPage(text, runId),
    error: outcome === 'completed' ? null : (error?.message ?? outcome),
    durationMs,
    tokensInput: tally.inputTokens + tally.cacheReadTokens + tally.cacheWriteTokens,
    tokensOutput: tally.outputTokens,
  };
}

/** Of a sub-agent that had ended before a restart. */
export function reportOfRow(row: RunRow): ChildReport {
  const { id: runId, agent, text, error, durationMs, usage } = row;
  return reportOf({
    runId,
    agent,
    outcome: row.outcome ?? 'interrupted',
    text,
    error,
    durationMs: durationMs ?? 0,
    tally: usage,
  });
}
