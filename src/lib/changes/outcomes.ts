/** What a look at an undo found, in numbers. Pure. */
import type { UndoneFile } from '#contract/change.ts';

/** How many files it would change, and how many it cannot. */
export function tallyOf(files: readonly UndoneFile[]): { doable: number; conflicts: number } {
  const count = (...outcomes: UndoneFile['outcome'][]): number =>
    files.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return { doable: count('put_back', 'merged'), conflicts: count('conflict') };
}
