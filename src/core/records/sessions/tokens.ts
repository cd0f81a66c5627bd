/** Totals of a tally as a session's files show them. */
import type { Tally } from '#contract/outcome.ts';
import { inputTokensOf } from '#contract/tally.ts';
import { usageOf } from '../../base/usage.ts';

/** All input and output tokens. */
export function tokensOf(tally: Tally): number {
  return inputTokensOf(tally) + tally.outputTokens;
}

/** US dollars; null where any price is unknown. */
export function usd(tally: Tally): number | null {
  return usageOf(tally).costUsd;
}
