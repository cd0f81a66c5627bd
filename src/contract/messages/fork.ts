/** A fork: a new conversation that starts with a copy of a part of another one. */
import { z } from 'zod';
import { Id, Instant } from '../ids.ts';

/** A position in a run: after the entry with this number or, without `entry`, before the start of a sub-agent. */
export const Step = z.object({ runId: Id, entry: z.int().nonnegative().optional() });
export type Step = z.infer<typeof Step>;

/** The step of another conversation from which a workflow goes on. Earlier work is copied. */
export const ForkStep = Step.extend({ conversationId: Id, workflowId: Id });
export type ForkStep = z.infer<typeof ForkStep>;

/** The first conversation of a fork, and the part of it that was copied. */
export const ForkedFrom = z.object({
  conversationId: Id,
  /** Title at the time of the fork. The conversation may be deleted since. */
  title: z.string(),
  /** The workflow at which it was forked. */
  workflowId: Id,
  /** The last copied workflow of the fork; null for none. */
  last: Id.nullable(),
  /** Number of the message in the first conversation, from 1; left out while the fork is incomplete. */
  message: z.int().optional(),
  /** Last copied entry of the lead's run, if the workflow was copied in part and the fork did not go on. */
  entry: z.int().nonnegative().optional(),
  /** The step from which the fork went on; left out if it did not. */
  step: Step.optional(),
  /** False while the fork is incomplete, also after a crash; left out when it is complete. */
  whole: z.literal(false).optional(),
});
export type ForkedFrom = z.infer<typeof ForkedFrom>;

/** The first run of a copy or of a rerun. Its work is counted there. Only the program sets this link. */
export const CopiedFrom = z.object({ conversationId: Id, workflowId: Id, runId: Id });
export type CopiedFrom = z.infer<typeof CopiedFrom>;

/** The first workflow of a copy, with the run of its lead. Tokens and costs are counted there. */
export const CopiedWorkflow = CopiedFrom.extend({
  /** Time that it had waited for answers of the person, in milliseconds. */
  waitedMs: z.number().nonnegative(),
  /** Minimum working time of its agents, in milliseconds; left out if unknown. */
  workedMs: z.number().nonnegative().optional(),
});
export type CopiedWorkflow = z.infer<typeof CopiedWorkflow>;

/** The end of the history of a fork: before or after a workflow. */
export const ForkEnd = z.enum(['before', 'after']);
export type ForkEnd = z.infer<typeof ForkEnd>;

/**
 * A fork at a workflow. `step`: the step from which the fork went on; left out if it did not. `upTo`: the last copied
 * entry, if the workflow was copied in part and the fork did not go on.
 */
export const Fork = z.object({
  conversationId: Id,
  end: ForkEnd,
  at: Instant,
  step: Step.optional(),
  upTo: z.int().nonnegative().optional(),
});
export type Fork = z.infer<typeof Fork>;
