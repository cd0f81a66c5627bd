/** A question as JSON: all that a yes would allow, with its risk. */
import type { ApprovalRequest } from '#contract/approval.ts';
import { isSpawn } from '#contract/spawn-items.ts';

/** `edited`: the envelope of a sub-agent as the person has changed it; null for no change. The hash is of what was asked. */
export function createQuestionJson(request: ApprovalRequest, item: number, edited: unknown): Record<string, unknown> {
  const { id, agent, chain, title, risk, reversible, subject } = request;
  const about = { approvalId: id, agent, chain, title, risk, reversible };
  if (!isSpawn(subject)) return { ...about, subject };
  const { runId, hash, envelope } = subject.items[item]!;
  const spawn = { operation: subject.operation, item, runId };
  return edited === null ? { ...about, ...spawn, hash, envelope } : { ...about, ...spawn, envelope: edited };
}
