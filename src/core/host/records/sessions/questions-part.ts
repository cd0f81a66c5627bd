/** Approvals and questions of an agent: what was requested and what was decided. Pure. */
import type { Approval } from '#contract/approval.ts';
import { isSpawn } from '#contract/spawn-items.ts';
import { type AskedItem, askedItems } from '#core/approvals/asked-items.ts';
import { code, decided, exchanges, fence, inline } from '../markdown-parts.ts';

/** All but starts of sub-agents, which are in their own files. */
export function questionsOf(runId: string, approvals: readonly Approval[]): string[] {
  return approvals
    .filter(({ request }) => request.runId === runId && !isSpawn(request.subject))
    .flatMap((approval) => [
      ...askedItems(approval).flatMap((item) => [
        '',
        `- ${inline(approval.request.title)}, call ${code(approval.request.toolCallId)}: ${decided(item.decision)}`,
        ...contentOf(item),
      ]),
      ...(approval.context ? ['', ...exchanges(approval.context)] : []),
    ]);
}

/** Requested and approved settings of a sub-agent; empty if they are the same. */
export function changesOf(runId: string, approvals: readonly Approval[]): string[] {
  const item = approvals.flatMap(askedItems).find((one) => one.runId === runId);
  return item?.decision?.edited === undefined ? [] : contentOf(item);
}

function contentOf({ asked, decision, approved }: AskedItem): string[] {
  const differs = decision?.edited !== undefined || decision?.replies !== undefined;
  return [...block('Asked for', asked), ...(differs ? block('Approved', approved) : [])];
}

function block(name: string, value: unknown): string[] {
  return ['', `${name}:`, '', fence(JSON.stringify(value, null, 2), 'json')];
}
