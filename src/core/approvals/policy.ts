/** Pure parts of approvals: the options, the hashes that an answer binds, and the decision that an answer becomes. */
import type { Answer, AnswerOption, Decision, Subject } from '#contract/approval.ts';

export const OPTIONS = {
  allow: { id: 'allow', name: 'Allow once', kind: 'allow_once' },
  reject: { id: 'reject', name: 'Reject', kind: 'reject_once' },
} as const satisfies Record<string, AnswerOption>;

/** The hash of each item that can be answered alone. */
export function itemsOf(subject: Subject): string[] {
  return subject.kind === 'envelopes' ? subject.items.map(({ hash }) => hash) : [subject.hash];
}

export function hashOf(subject: Subject, item: number): string | null {
  return itemsOf(subject)[item] ?? null;
}

/** What a plain yes or no of the person becomes. Anything but an explicit yes is a no. */
export function decisionOf(answer: Exclude<Answer, { kind: 'edit' }>, item: number, hash: string): Decision {
  const allowed = answer.kind === 'allow';
  return {
    item,
    outcome: 'selected',
    optionId: allowed ? OPTIONS.allow.id : OPTIONS.reject.id,
    allowed,
    decidedBy: 'person',
    ruleId: null,
    reason: answer.kind === 'reject' && answer.reason.trim() !== '' ? answer.reason.trim() : null,
    hashBefore: hash,
    hashAfter: hash,
    at: new Date().toISOString(),
  };
}
