/** Pure parts of approvals: the options of a question, and the decision that an answer becomes. */
import type { Answer, AnswerOption, Decision, Reply, Subject } from '#contract/approval.ts';
import type { GrantOffer, GrantScope } from '#contract/permission.ts';
import { TriadError } from '../base/errors.ts';

const OPTIONS = {
  allow: { id: 'allow', name: 'Allow once', kind: 'allow_once' },
  reject: { id: 'reject', name: 'Reject', kind: 'reject_once' },
} as const satisfies Record<string, AnswerOption>;

const ALWAYS: Readonly<Record<GrantScope, string>> = {
  workflow: 'Allow in this workflow',
  conversation: 'Allow in this conversation',
  project: 'Always allow for this project',
};

export function optionsOf(offer: GrantOffer | undefined): AnswerOption[] {
  const more = (offer?.scopes ?? []).map((scope): AnswerOption => ({
    id: grantOption(scope),
    name: ALWAYS[scope],
    kind: 'allow_always',
  }));
  return [OPTIONS.allow, ...more, OPTIONS.reject];
}

export function plainOptionId(allowed: boolean): string {
  return allowed ? OPTIONS.allow.id : OPTIONS.reject.id;
}

function grantOption(scope: GrantScope): string {
  return `allow_${scope}`;
}

/** Checks the person's replies, one for each question, and trims them. Throws `bad_input` for a wrong number of them, or a choice that is not offered. */
export function checkReplies(subject: Subject, replies: readonly Reply[]): Reply[] {
  if (subject.kind !== 'questions')
    throw new TriadError('bad_input', 'This question is answered with yes or no, not with replies');
  const { questions } = subject;
  if (replies.length !== questions.length)
    throw new TriadError('bad_input', `There are ${questions.length} questions: send a reply, or null, for each`);
  return replies.map((reply, index) => {
    const { kind, choices, question } = questions[index]!;
    if (!reply) return null;
    const chosen = [...new Set(reply.chosen)];
    const labels = choices.map(({ label }) => label);
    const other = chosen.find((one) => !labels.includes(one));
    if (other !== undefined)
      throw new TriadError(
        'bad_input',
        `“${other}” is no choice of “${question}”: ${labels.join(', ') || 'write words'}`,
      );
    const words = reply.words.trim();
    if (kind === 'single' && chosen.length + (words === '' ? 0 : 1) > 1)
      throw new TriadError('bad_input', `“${question}” takes one answer: a choice, or words`);
    return chosen.length === 0 && words === '' ? null : { chosen, words };
  });
}

/** The decision on what nobody waits for any more. */
export function droppedDecision(item: number, hash: string, reason: string): Decision {
  const no = decisionOf({ kind: 'reject', reason }, item, hash);
  return { ...no, outcome: 'cancelled', optionId: null, decidedBy: 'cancel' };
}

/** The decision of a plain allow or reject by the person. Anything but an explicit allow is a no. */
export function decisionOf(answer: Exclude<Answer, { kind: 'edit' | 'reply' }>, item: number, hash: string): Decision {
  const allowed = answer.kind === 'allow';
  return {
    item,
    outcome: 'selected',
    optionId: answer.kind === 'allow' && answer.grant ? grantOption(answer.grant.scope) : plainOptionId(allowed),
    allowed,
    decidedBy: 'person',
    ruleId: null,
    reason: answer.kind === 'reject' && answer.reason.trim() !== '' ? answer.reason.trim() : null,
    hashBefore: hash,
    hashAfter: hash,
    at: new Date().toISOString(),
  };
}
