/** Sums of what model requests used: the same for the stored rows and for the views of clients. */
import type { RequestUsage } from './event.ts';
import type { Tally } from './outcome.ts';

export const ZERO_TALLY: Tally = {
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

/** What one request adds to the totals of its run, workflow and conversation. */
export function tallyOf(request: RequestUsage): Tally {
  return {
    requests: 1,
    inputTokens: request.inputTokens,
    outputTokens: request.outputTokens,
    cacheReadTokens: request.cacheReadTokens,
    cacheWriteTokens: request.cacheWrite5mTokens + request.cacheWrite1hTokens,
    nanoUsd: request.nanoUsd ?? 0,
    unpriced: request.nanoUsd === null ? 1 : 0,
  };
}

/** Input tokens of all classes: fresh, read from the cache and written to it. */
export function inputTokensOf(tally: Tally): number {
  return tally.inputTokens + tally.cacheReadTokens + tally.cacheWriteTokens;
}
