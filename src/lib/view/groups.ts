/** Rows by what they belong to, so that one message looks through its own and not through all that are loaded. Pure. */
import type { Approval } from '#contract/approval.ts';
import { isSubAgent } from '#contract/flows/serving.ts';
import type { RunRow, ToolCallRow } from '#contract/view.ts';

export const runsOfWorkflow = grouped(({ workflowId }: RunRow) => workflowId);
export const subAgentsUnder = grouped((run: RunRow) => (isSubAgent(run) ? run.parentRunId : null));
export const callsOfRun = grouped(({ runId }: ToolCallRow) => runId);
export const approvalsOfWorkflow = grouped(({ request }: Approval) => request.workflowId);

const NONE: readonly never[] = [];

/**
 * Groups each array once: it must never change, as those of the view do not. A group whose rows are still the same is the
 * same array as before, so that what is derived from it stands while others come and change.
 */
function grouped<T, K>(keyOf: (row: T) => K): (rows: readonly T[], key: K) => readonly T[] {
  const known = new WeakMap<readonly T[], Map<K, T[]>>();
  let newest: WeakRef<readonly T[]> | undefined;
  return (rows, key) => {
    let groups = known.get(rows);
    if (!groups) {
      groups = Map.groupBy(rows, keyOf);
      for (const [one, before] of known.get(newest?.deref() ?? NONE) ?? [])
        if (isSame(before, groups.get(one))) groups.set(one, before);
      known.set(rows, groups);
      newest = new WeakRef(rows);
    }
    return groups.get(key) ?? NONE;
  };
}

function isSame<T>(before: readonly T[], now: readonly T[] | undefined): boolean {
  return before.length === now?.length && before.every((row, at) => row === now[at]);
}
