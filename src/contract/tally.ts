/** Sums of what model requests used: the same for the stored rows and for the views of clients. */
import type { RequestUsage } from './event.ts';
import type { Tally, Usage } from './outcome.ts';

export const ZERO_TALLY: Tally = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  nanoUsd: 0,
  unpriced: 0,
};

/** Counts that are left out where they are 0. */
export const SPARSE_COUNTS = [
  'failedRequests',
  'unknownRequests',
  'webSearches',
  'estimatedInputTokens',
  'estimatedOutputTokens',
] as const;
type SparseCount = (typeof SPARSE_COUNTS)[number];

export function addTally(a: Tally, b: Tally): Tally {
  return {
    requests: a.requests + b.requests,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    nanoUsd: a.nanoUsd + b.nanoUsd,
    unpriced: a.unpriced + b.unpriced,
    ...sparse((count) => (a[count] ?? 0) + (b[count] ?? 0)),
  };
}

/** What one request adds to the totals of its run, workflow and conversation. */
export function tallyOf(request: RequestUsage): Tally {
  const counts = {
    failedRequests: request.error === null ? 0 : 1,
    webSearches: request.webSearches ?? 0,
    unknownRequests: request.inputEstimated ? 1 : 0,
    estimatedInputTokens: request.inputEstimated ? request.inputTokens : 0,
    estimatedOutputTokens: request.reported ? 0 : request.outputTokens,
  };
  return {
    requests: 1,
    inputTokens: request.inputTokens,
    outputTokens: request.outputTokens,
    cacheReadTokens: request.cacheReadTokens,
    cacheWriteTokens: request.cacheWrite5mTokens + request.cacheWrite1hTokens,
    nanoUsd: request.nanoUsd ?? 0,
    unpriced: request.nanoUsd === null ? 1 : 0,
    ...sparse((count) => counts[count]),
  };
}

function sparse(value: (count: SparseCount) => number): Partial<Record<SparseCount, number>> {
  return Object.fromEntries(
    SPARSE_COUNTS.map((count) => [count, value(count)] as const).filter(([, number]) => number > 0),
  );
}

/** Returns the number of requests that limits of requests count: those that did not fail. */
export function countLimitedRequests({ requests, failedRequests = 0 }: Tally): number {
  return requests - failedRequests;
}

/** The part of the tokens of all classes that is estimated. */
export function estimatedTokensOf({ estimatedInputTokens = 0, estimatedOutputTokens = 0 }: Tally | Usage): number {
  return estimatedInputTokens + estimatedOutputTokens;
}

/** Input tokens of all classes: fresh, read from the cache and written to it. */
export function inputTokensOf(tally: Tally): number {
  return tally.inputTokens + tally.cacheReadTokens + tally.cacheWriteTokens;
}

/** What a number of tokens consists of: one definition for every screen. */
export interface TokenParts {
  /** Of all classes. */
  input: number;
  /** Its classes, where they are known. */
  classes?: { fresh: number; cached: number; written: number };
  output: number;
  /** The part of both that nobody counted. */
  estimated: number;
}

export function tokenPartsOf(usage: Tally): TokenParts {
  const { inputTokens: fresh, cacheReadTokens: cached, cacheWriteTokens: written, outputTokens: output } = usage;
  const classes = { fresh, cached, written };
  return { input: inputTokensOf(usage), classes, output, estimated: estimatedTokensOf(usage) };
}

/** Share of the input tokens that was read from the provider's cache, from 0 to 1; null where there was no input. */
export function cachedShareOf(
  used: Pick<Usage, 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>,
): number | null {
  const all = used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens;
  return all === 0 ? null : used.cacheReadTokens / all;
}

/** Likewise in whole percents; null where nothing was read from the cache. */
export function cachedPercentOf(used: Parameters<typeof cachedShareOf>[0]): number | null {
  const share = cachedShareOf(used);
  if (share === null || share === 0) return null;
  // Neither all nor nothing, unless it is exactly that.
  return share === 1 ? 100 : Math.min(99, Math.max(1, Math.round(share * 100)));
}

/** As people read it: `cached 83 %`; null where nothing was read from the cache. */
export function cachedText(used: Parameters<typeof cachedShareOf>[0]): string | null {
  const percent = cachedPercentOf(used);
  return percent === null ? null : `cached ${percent} %`;
}

/** How full the context of a run is after one of its turns; null for a request that says nothing of it. */
export function contextTokensOf(request: RequestUsage): number | null {
  if (request.purpose !== undefined || request.error !== null) return null;
  const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, outputTokens } = request;
  const input = inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
  return input === 0 ? null : input + outputTokens;
}
