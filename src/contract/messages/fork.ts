/** A fork: a new conversation that begins with the history of another one up to some place in it. */
import { z } from 'zod';
import { Id, Instant } from '../ids.ts';

/** An entry of a run, by its number. */
export const Step = z.object({ runId: Id, entry: z.int().nonnegative() });
export type Step = z.infer<typeof Step>;

/** A step of another conversation from which a workflow goes on: what had been done well until there is taken from there. */
export const ForkStep = Step.extend({ conversationId: Id, workflowId: Id });
export type ForkStep = z.infer<typeof ForkStep>;

/** The conversation that another one was forked from, and how much of it was taken over. */
export const ForkedFrom = z.object({
  conversationId: Id,
  /** As it was then: it may be gone since. */
  title: z.string(),
  /** The workflow there at which it was forked. */
  workflowId: Id,
  /** The newest of the own workflows that were taken over: all up to it were. Null where none was. */
  last: Id.nullable(),
  /** Which message of that conversation this was, from 1; left out of forks of older versions. */
  message: z.int().optional(),
  /** The entry of its lead's run up to which it was taken over, where it was not taken over whole and did not go on. */
  entry: z.int().nonnegative().optional(),
  /** The step of that workflow from which the fork went on; left out where it was made to be written in. */
  step: Step.optional(),
  /** False while it is being made, and of one that a crash cut off then; left out once it is whole. */
  whole: z.literal(false).optional(),
});
export type ForkedFrom = z.infer<typeof ForkedFrom>;

/** What a workflow that was taken over is a copy of; tokens and costs stay there. */
export const TakenFrom = z.object({
  conversationId: Id,
  workflowId: Id,
  runId: Id,
  /** How long it had waited there for answers of the person, in milliseconds; left out of copies of older versions. */
  waitedMs: z.number().nonnegative().optional(),
  /** How long agents had worked there at the least; left out where that is not known. */
  workedMs: z.number().nonnegative().optional(),
});
export type TakenFrom = z.infer<typeof TakenFrom>;

/** Whether the history of a fork ends with a workflow, or right before it. */
export const ForkEnd = z.enum(['before', 'after']);
export type ForkEnd = z.infer<typeof ForkEnd>;

/**
 * A fork that was made at a workflow; `step`: the one of it from which the fork went on, left out where it did not; `upTo`:
 * the one up to which it was taken over, where it was not taken over whole and did not go on.
 */
export const Fork = z.object({
  conversationId: Id,
  end: ForkEnd,
  at: Instant,
  step: Step.optional(),
  upTo: z.int().nonnegative().optional(),
});
export type Fork = z.infer<typeof Fork>;
