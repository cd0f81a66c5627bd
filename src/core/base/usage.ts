/** What model requests used, in the form that leaves the program. */
import type { Tally, Usage } from '#contract/outcome.ts';

/** `costUsd` in US dollars; null where any price is unknown. */
export function usageOf(tally: Tally): Usage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = tally;
  const { webSearches, estimatedInputTokens, estimatedOutputTokens } = tally;
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    costUsd: tally.unpriced > 0 ? null : tally.nanoUsd / 1e9,
    ...(webSearches && { webSearches }),
    ...(estimatedInputTokens && { estimatedInputTokens }),
    ...(estimatedOutputTokens && { estimatedOutputTokens }),
  };
}
