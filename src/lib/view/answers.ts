/** How approvals change with what is answered and asked back. */
import type { DurableEvent } from '#contract/event.ts';
import type { Snapshot } from '#contract/view.ts';

type Event<T extends DurableEvent['type']> = Extract<DurableEvent, { type: T }>;

/** The approvals with one more decision. */
export function withDecision(approvals: Snapshot['approvals'], event: Event<'approval-decide'>): Snapshot['approvals'] {
  const { approvalId, decision } = event;
  return approvals.map((approval) =>
    approval.request.id === approvalId
      ? { ...approval, decisions: approval.decisions.with(decision.item, decision) }
      : approval,
  );
}

/** The approvals with a question that the person asked back, or with its answer. */
export function withContext(
  approvals: Snapshot['approvals'],
  { approvalId, n, context }: Event<'context-request' | 'context-end'>,
): Snapshot['approvals'] {
  return approvals.map((approval) => {
    if (approval.request.id !== approvalId) return approval;
    const before = approval.context ?? [];
    return { ...approval, context: n === before.length ? [...before, context] : before.with(n, context) };
  });
}
