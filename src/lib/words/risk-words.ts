/** The risk of a question: its level, and what the person should know about it in a few words. */
import type { ApprovalRequest, Risk } from '#contract/approval.ts';
import { type Weight, weightOf } from '#contract/approvals/summary.ts';

export interface RiskWords {
  weight: Weight;
  /** Empty where nothing is to be said. */
  words: string;
}

type Request = Pick<ApprovalRequest, 'risk' | 'subject' | 'reversible'>;

export const riskLevels: Readonly<Record<Risk, string>> = {
  low: 'Low risk',
  medium: 'Medium risk',
  high: 'High risk',
};

/** `item`: of a batch. */
export function riskOf(request: Request, item: number): RiskWords {
  const weight = weightOf(request, item);
  return { weight, words: wordsOf(request, weight) };
}

function wordsOf({ subject, reversible }: Pick<Request, 'subject' | 'reversible'>, weight: Weight): string {
  // What an agent says of its own plan is its word.
  if (subject.kind === 'action')
    return reversible ? 'its agent says that it can be undone' : 'its agent says that it cannot be undone';
  if (subject.kind === 'envelopes') return weight === 'reaching' ? 'can change things' : '';
  if (subject.kind === 'control-files') return 'can start programs';
  if (!reversible) return 'cannot be undone';
  return subject.kind === 'tool' && subject.preview !== null && weight === null ? 'can be undone' : '';
}
