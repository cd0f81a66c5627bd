/** Rows by what they belong to, so that one message looks through its own and not through all that are loaded. Pure. */
import type { Approval } from '#contract/approval.ts';
import type { RunRow } from '#contract/view.ts';

export const runsOfWorkflow = grouped(({ workflowId }: RunRow) => workflowId);
export const runsUnder = grouped(({ parentRunId }: RunRow) => parentRunId);
export const approvalsOfWorkflow = grouped(({ request }: Approval) => request.workflowId);

const NONE: readonly never[] = [];

/** Groups each array once: it must never change, as those of the view do not. Without rows it gives the same each time. */
function grouped<T, K>(keyOf: (row: T) => K): (rows: readonly T[], key: K) => readonly T[] {
  const known = new WeakMap<readonly T[], Map<K, T[]>>();
  return (rows, key) => {
    let groups = known.get(rows);
    if (!groups) known.set(rows, (groups = Map.groupBy(rows, keyOf)));
    return groups.get(key) ?? NONE;
  };
}
