/** A request that waits for its provider: until the next attempt, or for an answer that does not come. */
import { z } from 'zod';
import { ErrorInfo } from '../error.ts';
import { Instant } from '../ids.ts';

export const ProviderWait = z.object({
  at: Instant,
  /** The attempt that failed, or that gets no answer; from 1. */
  attempt: z.int(),
  /** Wait until the next attempt, in milliseconds; null while the attempt gets no answer. */
  delayMs: z.number().nullable(),
  /** Why the attempt failed; null while it gets no answer. */
  error: ErrorInfo.nullable(),
});
export type ProviderWait = z.infer<typeof ProviderWait>;
