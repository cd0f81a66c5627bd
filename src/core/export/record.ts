/** What an export is made from. */
import type { Entry } from '#contract/message.ts';
import type { WorkflowDetail } from '#contract/view.ts';

/** All that is stored of one workflow. */
export interface WorkflowRecord extends Omit<WorkflowDetail, 'conversation'> {
  /** By run, in order. */
  entries: ReadonlyMap<string, readonly Entry[]>;
}
