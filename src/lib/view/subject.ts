/** What a question is about: which sub-agents it asks for, how many answers it takes, which folder it concerns. */
import type { ApprovalRequest, SpawnItem } from '#contract/approval.ts';

/** The sub-agents that would start, one for each item; empty for a question about anything else. */
export function spawnItemsOf({ subject }: Pick<ApprovalRequest, 'subject'>): readonly SpawnItem[] {
  return subject.kind === 'envelopes' ? subject.items : [];
}

/** How many answers the question takes: one for each sub-agent, otherwise one. */
export function itemCountOf({ subject }: Pick<ApprovalRequest, 'subject'>): number {
  return subject.kind === 'envelopes' ? subject.items.length : 1;
}

/** Whether a run asks this question, or would be started by its answer. */
export function concernsRun(request: Pick<ApprovalRequest, 'runId' | 'subject'>, runId: string): boolean {
  return request.runId === runId || spawnItemsOf(request).some((item) => item.runId === runId);
}

/** The folder in which the work of an item would happen; empty for an item that is not there. */
export function folderOf({ subject }: Pick<ApprovalRequest, 'subject'>, item: number): string {
  return subject.kind === 'envelopes' ? (subject.items[item]?.envelope.folder ?? '') : subject.folder;
}
