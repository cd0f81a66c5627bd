/** What an approval asks before a call may run. */
import type { Risk, Subject } from '#contract/approval.ts';
import type { Phrases } from '#contract/approvals/phrase.ts';

export interface Question {
  /** The question in one sentence. */
  title: string;
  description: string;
  /** Both as keys and values. */
  says: Phrases;
  subject: Subject;
  risk: Risk;
  reversible: boolean;
  /** It cannot be undone, and still a rule or a grant of the person that names the tool and a pattern may allow it. */
  nameable?: true;
  /** What a grant is offered on; left out: this very call. */
  grantPattern?: string;
  /** Why only the person may answer, whatever rules, grants and the mode say; left out: they may. */
  held?: string;
  /**
   * Nothing would change, so only what was decided before (rules, definitions) has it asked about: where nothing does, the
   * call is not run, and this is its answer.
   */
  idle?: string;
  /** Asked while the call runs; what was decided of the call itself is another question. */
  during?: true;
}
