/** How things end: the one list of statuses and outcomes for code, schema, tools and screens. */
import { z } from 'zod';

export const Status = z.enum(['pending', 'running', 'completed', 'error', 'cancelled']);
export type Status = z.infer<typeof Status>;

export const Outcome = z.enum([
  'completed',
  'partial',
  'cancelled',
  'rejected',
  'timed_out',
  'budget_exceeded',
  'refused',
  'error',
  'interrupted',
]);
export type Outcome = z.infer<typeof Outcome>;

/** What a set of model requests used; all integers. `inputTokens` are the fresh ones. */
export const Tally = z.object({
  requests: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheWriteTokens: z.int(),
  /** Billionths of a US dollar, of the requests whose price is known. */
  nanoUsd: z.int(),
  /** Requests whose price is not known; with any of them the total cost is unknown. */
  unpriced: z.int(),
});
export type Tally = z.infer<typeof Tally>;

/** Usage in its outward form: `costUsd` is null where any price is unknown. */
export const Usage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheWriteTokens: z.int(),
  costUsd: z.number().nullable(),
});
export type Usage = z.infer<typeof Usage>;
