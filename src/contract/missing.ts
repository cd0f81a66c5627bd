/** What should be in the store and is not there or cannot be read. */
import { z } from 'zod';
import { Id } from './ids.ts';

export const Missing = z.object({
  /**
   * `altered`: the events of a workflow, some of which are not what was written; `entries`: of a run's history; `rows`: of
   * other kinds that are made from the events.
   */
  kind: z.enum(['workflows', 'runs', 'events', 'altered', 'entries', 'calls', 'requests', 'approvals', 'rows']),
  conversationId: Id,
  /** Null for what is told by conversation alone. */
  workflowId: Id.nullable(),
  runId: Id.nullable(),
  count: z.int().positive(),
  /** Which numbers are missing, both ends included; empty where they are not numbered. */
  ranges: z.array(z.object({ from: z.int(), to: z.int() })),
});
export type Missing = z.infer<typeof Missing>;

/** How many of the whole store stand in no list. */
export const Unlisted = z.object({ conversations: z.int().nonnegative(), workflows: z.int().nonnegative() });
export type Unlisted = z.infer<typeof Unlisted>;
