/** What is told of changes while nothing is loaded: from the rows of calls that the view holds. Pure. */
import type { ChangeRow } from '#contract/change.ts';
import type { ToolCallRow } from '#contract/view.ts';
import { isFromOrigin } from '#lib/view/family.ts';
import type { View } from '#lib/view/reduce.ts';

/**
 * How many files agents changed that the person neither kept nor undid. `rows`: what was loaded last; it knows more of
 * its calls, and may not have the newest.
 */
export function filesToLookAt(calls: readonly ToolCallRow[], rows: readonly ChangeRow[]): number {
  const listed = new Map(rows.map((row) => [keyOf(row), row]));
  const held = new Map(calls.map((call) => [keyOf(call), call]));
  const unlisted = calls.filter((call) => !listed.has(keyOf(call)) && call.undone !== true);
  const paths = unlisted.flatMap(({ wrote, wroteAlso = [] }) => (wrote === undefined ? [] : [wrote, ...wroteAlso]));
  for (const [key, { files }] of listed) {
    const undone = held.get(key)?.undone;
    if (undone === true) continue;
    // Done again since it was loaded, perhaps.
    const isOpen = ({ path, kept, state }: ChangeRow['files'][number]): boolean =>
      !kept && files.every(({ from }) => from !== path) && state !== 'gone' && (state !== 'undone' || undone === false);
    paths.push(...files.filter(isOpen).map(({ path }) => path));
  }
  return new Set(paths).size;
}

/** Without those of runs that a fork shows from where they worked: what they changed is told there. */
export function callsHere({ calls, runs }: Pick<View, 'calls' | 'runs'>): ToolCallRow[] {
  const elsewhere = new Set(runs.filter(isFromOrigin).map(({ id }) => id));
  return elsewhere.size === 0 ? calls : calls.filter(({ runId }) => !elsewhere.has(runId));
}

/** Differs after each call that changed something, and after each undo. */
export function changeCount(calls: readonly ToolCallRow[]): number {
  return calls.reduce((sum, { wrote, undos = [] }) => sum + (wrote === undefined ? 0 : 1) + undos.length, 0);
}

/** Whether there may be changes of which the view holds no call: of sub-agents that ended before it was made, or earlier. */
export function mayHaveMore({ more, runs, calls }: Pick<View, 'more' | 'runs' | 'calls'>): boolean {
  const known = new Set(calls.map(({ runId }) => runId));
  const mayWrite = runs.some(
    ({ id, parentRunId, outcome, copiedFrom, envelope }) =>
      parentRunId !== null &&
      outcome !== null &&
      !copiedFrom &&
      !known.has(id) &&
      envelope.permissions.some((one) => one === 'FilesystemWrite' || one === 'Execute'),
  );
  return more || mayWrite;
}

function keyOf({ runId, toolCallId }: Pick<ToolCallRow, 'runId' | 'toolCallId'>): string {
  return JSON.stringify([runId, toolCallId]);
}
