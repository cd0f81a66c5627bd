/** What a question is about: how many answers it takes, which run and which folder it concerns. */
import type { ApprovalRequest } from '#contract/approval.ts';
import { isSpawn, spawnIndex } from '#contract/spawn-items.ts';

/** How many answers the question takes: one for each sub-agent, otherwise one. */
export function itemCountOf({ subject }: Pick<ApprovalRequest, 'subject'>): number {
  return isSpawn(subject) ? subject.items.length : 1;
}

/** Whether a run asks this question, or would be started by its answer. */
export function concernsRun(
  { runId: asking, subject }: Pick<ApprovalRequest, 'runId' | 'subject'>,
  runId: string,
): boolean {
  return asking === runId || spawnIndex(subject, runId) >= 0;
}

/** The folder in which the work of an item would begin; empty for an item that is not there. */
export function folderOf({ subject }: Pick<ApprovalRequest, 'subject'>, item: number): string {
  if (isSpawn(subject)) return subject.items[item]?.envelope.folder ?? '';
  return subject.kind === 'tool' && subject.startsIn ? `${subject.folder}/${subject.startsIn}` : subject.folder;
}
