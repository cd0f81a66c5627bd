/** What the person decided about a call beyond a plain yes, in words that outlast the call's result. */
import type { Approval } from '#contract/approval.ts';
import { editWords } from '../tools/edit-words.ts';

/** Null where the person said nothing but yes, or was not asked. `output`: what the model reads of the call. */
export function decisionWords(approval: Approval | null, output: string): string | null {
  if (!approval) return null;
  const { subject } = approval.request;
  const words = approval.decisions.flatMap((decision, item) => {
    if (decision?.decidedBy !== 'person') return [];
    const whose = subject.kind === 'envelopes' ? `${subject.items[item]?.envelope.agent ?? ''}: ` : '';
    if (!decision.allowed) return [`${whose}refused${decision.reason === null ? '' : `, because: ${decision.reason}`}`];
    if (subject.kind === 'questions') return [output];
    if (decision.edited === undefined) return [];
    const asked = subject.kind === 'tool' ? subject.input : null;
    const changes = asked === null ? null : editWords(asked, decision.edited);
    return [`${whose}allowed after changes${changes === null ? '' : `: ${changes}`}`];
  });
  return words.length === 0 ? null : words.join('\n');
}
