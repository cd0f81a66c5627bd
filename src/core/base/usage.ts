/** Sums of what model requests used. */
import type { Tally, Usage } from '#contract/outcome.ts';

export const ZERO: Tally = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  nanoUsd: 0,
  unpriced: 0,
};

export function addTally(a: Tally, b: Tally): Tally {
  return {
    requests: a.requests + b.requests,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    nanoUsd: a.nanoUsd + b.nanoUsd,
    unpriced: a.unpriced + b.unpriced,
  };
}

/** The outward form: no cost where any price is unknown. */
export function usageOf(tally: Tally): Usage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = tally;
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    costUsd: tally.unpriced > 0 ? null : tally.nanoUsd / 1e9,
  };
}
