/** What a look at an undo found, in numbers. Pure. */
import type { ChangeRow, ChangeTarget, UndoneFile } from '#contract/change.ts';

/** How many files it would change, and how many it cannot. */
export function tallyOf(files: readonly UndoneFile[]): { doable: number; conflicts: number } {
  const count = (...outcomes: UndoneFile['outcome'][]): number =>
    files.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return { doable: count('put_back', 'merged'), conflicts: count('conflict') };
}

/** The paths that were not there before what is undone: put back as they were, they are removed. */
export function madeNew(rows: readonly ChangeRow[], { runId, toolCallId }: ChangeTarget): Set<string> {
  const own = rows.filter((row) => row.runId === runId && (toolCallId === undefined || row.toolCallId === toolCallId));
  const first = new Map<string, boolean>();
  for (const { files } of own.toSorted((a, b) => (a.at < b.at ? -1 : 1)))
    for (const { path, before } of files) if (!first.has(path)) first.set(path, before === null);
  return new Set([...first].flatMap(([path, isNew]) => (isNew ? [path] : [])));
}
