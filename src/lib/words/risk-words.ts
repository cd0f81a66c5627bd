/** How risky a question is, and what makes it so in a few words. */
import type { ApprovalRequest, Risk, Subject } from '#contract/approval.ts';

const levels: Readonly<Record<Risk, string>> = { low: 'low risk', medium: 'medium risk', high: 'high risk' };

export function riskOf({ risk, subject }: Pick<ApprovalRequest, 'risk' | 'subject'>): string {
  // What makes it so grave, the description says.
  if (risk === 'high' && subject.kind === 'tool') return levels.high;
  const reason = reasonOf(subject);
  return reason === '' ? levels[risk] : `${levels[risk]}: ${reason}`;
}

/** Empty for a tool of which no more is known than its name. */
function reasonOf(subject: Subject): string {
  if (subject.kind === 'tool') {
    if (subject.preview === null) return '';
    const { created, deleted = false } = subject.preview;
    return deleted ? 'deletes a file' : created ? 'creates a file' : 'changes a file';
  }
  if (subject.kind === 'action') return 'as the agent tells it';
  if (subject.kind === 'questions') return 'changes nothing';
  const { operation, items } = subject;
  if (operation === 'parallel') return items.length > 1 ? 'several agents at once' : 'a batch of one agent';
  const isTemporary = items[0]?.envelope.definitionHash === null;
  return isTemporary ? 'starts a temporary agent' : 'starts a defined agent';
}
