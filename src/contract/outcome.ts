/** Statuses, outcomes and usage totals: one list for code, schema, tools and screens. */
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

/*
 * The shapes of token counts, each for one use:
 * - `ModelUsage` (core/model): tokens that a provider reported for one request, without a price;
 * - `RequestStart` (event.ts): the input of a request that is on its way;
 * - `RequestUsage` (event.ts): one finished request with tokens, times and price: what all sums are made of;
 * - `Tally`: the sum of requests, in exact integers: what rows store and code adds up (`tally.ts`);
 * - `Usage`: a tally with its cost in US dollars: what events and exports carry;
 * - `Used` (core/runs/budget): what limits are compared with: tokens of all classes together, cost, time and iterations.
 */

/** The part of a sum that is estimated, because the provider's count is not known; left out where it is nothing. */
const Estimated = {
  estimatedInputTokens: z.int().optional(),
  estimatedOutputTokens: z.int().optional(),
};

/** Searches of the web that providers made themselves; left out where they made none. */
const Searches = { webSearches: z.int().optional() };

/** Sum over model requests; all integers. `inputTokens` excludes cache reads and writes. */
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
  /** Requests that failed or were stopped; they count towards no limit of requests. Left out where there are none. */
  failedRequests: z.int().optional(),
  /** Of the requests, those of which the provider's count is not known; left out where there are none. */
  unknownRequests: z.int().optional(),
  ...Searches,
  ...Estimated,
});
export type Tally = z.infer<typeof Tally>;

/** A tally in US dollars, as events carry it: `costUsd` is null if any price is unknown. */
export const Usage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheWriteTokens: z.int(),
  costUsd: z.number().nullable(),
  ...Searches,
  ...Estimated,
});
export type Usage = z.infer<typeof Usage>;
