/** Totals of a tally as the files of a session tell them. */
import type { Tally } from '#contract/outcome.ts';
import { usageOf } from '../../base/usage.ts';

/** Every class of input. */
export function inputOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Tally): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

export function tokensOf(tally: Tally): number {
  return inputOf(tally) + tally.outputTokens;
}

/** Null where any price is unknown. */
export function usd(tally: Tally): number | null {
  return usageOf(tally).costUsd;
}
