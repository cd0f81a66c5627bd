/** Reads what earlier attempts of a run left in the store. */
import type { Approval } from '#contract/approval.ts';
import type { ErrorInfo } from '#contract/error.ts';
import type { Entry, PlanItem } from '#contract/message.ts';
import type { RunRow, ToolCallRow } from '#contract/view.ts';
import type { Store } from '../store/store.ts';

export interface StoredRun {
  entries: Entry[];
  calls: ToolCallRow[];
  approvals: Approval[];
  /** Time that earlier attempts took, in milliseconds, and how much of it they worked. */
  activeMs: number;
  workedMs: number;
  plan: PlanItem[];
  /** How the last attempt ended, where something was wrong. */
  error: ErrorInfo | null;
  /** Sub-agents that the run has asked for, and the stages of their chains. */
  children: RunRow[];
}

/** Empty for a run that never started. `children`: the rows of its sub-agents and of their stages. */
export async function loadStored(store: Store, row: RunRow | null, children: RunRow[]): Promise<StoredRun> {
  if (!row) return { entries: [], calls: [], approvals: [], activeMs: 0, workedMs: 0, plan: [], error: null, children };
  const [{ entries, calls }, approvals] = await Promise.all([
    store.recordsOf([row], ['entries', 'calls']),
    store.approvalsOf([row.workflowId]),
  ]);
  return {
    entries: entries.get(row.id) ?? [],
    calls,
    approvals: approvals.filter((approval) => approval.request.runId === row.id),
    activeMs: row.durationMs ?? 0,
    workedMs: row.workedMs ?? 0,
    plan: row.plan ?? [],
    error: row.error,
    children,
  };
}
