/** Totals of a tally as a session's files show them. */
import type { Tally } from '#contract/outcome.ts';
import { estimatedTokensOf, inputTokensOf } from '#domain/tally.ts';
import { usageOf } from '#core/base/usage.ts';

/** All input and output tokens. */
export function tokensOf(tally: Tally): number {
  return inputTokensOf(tally) + tally.outputTokens;
}

/** What stands beside the totals where a part of them is estimated. */
export function estimatedPart(tally: Tally): { tokens_estimated?: number } {
  const estimated = estimatedTokensOf(tally);
  return estimated > 0 ? { tokens_estimated: estimated } : {};
}

/** US dollars; null where any price is unknown. */
export function usd(tally: Tally): number | null {
  return usageOf(tally).costUsd;
}
