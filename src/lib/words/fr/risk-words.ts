/** What is grave about a question, in a few words, in French. */
import type { ApprovalRequest } from '#contract/approval.ts';
import { type Weight, weightOf } from '#contract/approvals/summary.ts';
import type { RiskWords } from '../risk-words.ts';

/** `item`: of a batch. */
export function riskOf(request: Pick<ApprovalRequest, 'risk' | 'subject' | 'reversible'>, item: number): RiskWords {
  const weight = weightOf(request, item);
  return { weight, words: wordsOf(request, weight) };
}

function wordsOf({ subject, reversible }: Pick<ApprovalRequest, 'subject' | 'reversible'>, weight: Weight): string {
  // What an agent says of its own plan is its word.
  if (subject.kind === 'action') return reversible ? 'annulable, dit son agent' : 'irréversible, dit son agent';
  if (subject.kind === 'control-files') return 'peut lancer des programmes';
  if (subject.kind === 'envelopes') return weight === 'reaching' ? 'peut modifier des choses' : '';
  if (!reversible) return 'irréversible';
  if (weight === 'grave') return 'risque élevé';
  return subject.kind === 'tool' && subject.preview !== null ? 'annulable' : '';
}
