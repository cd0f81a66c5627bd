/** What a question asked for and what was approved in the end, for each item that is answered alone. Pure. */
import type { Approval, Decision, Subject } from '#contract/approval.ts';

export interface AskedItem {
  /** The run that it would start; null for anything else. */
  runId: string | null;
  asked: unknown;
  /** Null while it is open. */
  decision: Decision | null;
  /** Differs from what was asked where the person changed it; null where nothing was approved. */
  approved: unknown;
}

export function askedItems({ request, decisions }: Approval): AskedItem[] {
  return askedIn(request.subject).map(({ runId, asked }, item) => {
    const decision = decisions[item] ?? null;
    const approved = decision?.allowed ? (decision.replies ?? decision.edited ?? asked) : null;
    return { runId, asked, decision, approved };
  });
}

function askedIn(subject: Subject): Pick<AskedItem, 'runId' | 'asked'>[] {
  switch (subject.kind) {
    case 'envelopes':
      return subject.items.map(({ runId, envelope }) => ({ runId, asked: envelope }));
    case 'questions':
      return [{ runId: null, asked: subject.questions }];
    case 'control-files':
      return [{ runId: null, asked: subject.files }];
    case 'replaced-folder':
      return [{ runId: null, asked: subject.folder }];
    case 'limit':
      return [{ runId: null, asked: subject.add }];
    case 'tool':
    case 'action':
      return [{ runId: null, asked: subject.input }];
  }
}
