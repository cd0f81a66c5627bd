/** One execution that is run again alone: the link from the new run to the first, and back. */
import { z } from 'zod';
import { Id, Instant } from '../ids.ts';

/** The execution that the person wants to be run again, and what it was started with. */
export const AgainOf = z.object({
  conversationId: Id,
  workflowId: Id,
  runId: Id,
  /** SHA-256 in hex of its envelope. */
  envelopeHash: z.string(),
  /** Whether it is started as a temporary agent, or as one that a file defines. */
  as: z.enum(['spawn', 'delegate']),
});
export type AgainOf = z.infer<typeof AgainOf>;

/** An execution that was asked for as another one again. */
export const Again = z.object({ conversationId: Id, workflowId: Id, at: Instant });
export type Again = z.infer<typeof Again>;
