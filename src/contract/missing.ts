/** What should be in the store and is not there or cannot be read. */
import { z } from 'zod';
import { Id } from './ids.ts';

/** Ranges of numbers, both ends included. */
export const NumberRanges = z.array(z.object({ from: z.int(), to: z.int() }));

export const Missing = z.object({
  /** `entries`: of the history of a run; `rows`: rows of other kinds that follow from events. */
  kind: z.enum(['workflows', 'runs', 'events', 'entries', 'calls', 'requests', 'approvals', 'rows']),
  conversationId: Id,
  /** Null for what is told by conversation alone. */
  workflowId: Id.nullable(),
  runId: Id.nullable(),
  count: z.int().positive(),
  /** Which numbers are missing; empty where they are not numbered. */
  ranges: NumberRanges,
});
export type Missing = z.infer<typeof Missing>;

/** How many of the whole store stand in no list. */
export const Unlisted = z.object({ conversations: z.int().nonnegative(), workflows: z.int().nonnegative() });
export type Unlisted = z.infer<typeof Unlisted>;
