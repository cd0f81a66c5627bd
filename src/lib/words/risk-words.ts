/** What is grave about a question, in a few words: most have nothing of it, so that what is said means something. */
import type { ApprovalRequest } from '#contract/approval.ts';
import { type Weight, weightOf } from '#contract/approvals/summary.ts';

export interface RiskWords {
  weight: Weight;
  /** Empty where nothing is to be said. */
  words: string;
}

/** `item`: of a batch. */
export function riskOf(request: Pick<ApprovalRequest, 'risk' | 'subject' | 'reversible'>, item: number): RiskWords {
  const weight = weightOf(request, item);
  return { weight, words: wordsOf(request, weight) };
}

function wordsOf({ subject, reversible }: Pick<ApprovalRequest, 'subject' | 'reversible'>, weight: Weight): string {
  // What an agent says of its own plan is its word.
  if (subject.kind === 'action')
    return reversible ? 'its agent says that it can be undone' : 'its agent says that it cannot be undone';
  if (subject.kind === 'envelopes') return weight === 'reaching' ? 'can change things' : '';
  if (subject.kind === 'control-files') return 'can start programs';
  if (!reversible) return 'cannot be undone';
  if (weight === 'grave') return 'high risk';
  return subject.kind === 'tool' && subject.preview !== null ? 'can be undone' : '';
}
