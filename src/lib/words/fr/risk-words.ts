/** The risk of a question, in French. */
import type { ApprovalRequest, Risk } from '#contract/approval.ts';
import { type Weight, weightOf } from '#contract/approvals/summary.ts';
import type { RiskWords } from '../risk-words.ts';

type Request = Pick<ApprovalRequest, 'risk' | 'subject' | 'reversible'>;

export const riskLevels: Readonly<Record<Risk, string>> = {
  low: 'Risque faible',
  medium: 'Risque moyen',
  high: 'Risque élevé',
};

/** `item`: of a batch. */
export function riskOf(request: Request, item: number): RiskWords {
  const weight = weightOf(request, item);
  return { weight, words: wordsOf(request, weight) };
}

function wordsOf({ subject, reversible }: Pick<Request, 'subject' | 'reversible'>, weight: Weight): string {
  // What an agent says of its own plan is its word.
  if (subject.kind === 'action') return reversible ? 'annulable, dit son agent' : 'irréversible, dit son agent';
  if (subject.kind === 'control-files') return 'peut lancer des programmes';
  if (subject.kind === 'envelopes') return weight === 'reaching' ? 'peut modifier des choses' : '';
  if (!reversible) return 'irréversible';
  return subject.kind === 'tool' && subject.preview !== null && weight === null ? 'annulable' : '';
}
