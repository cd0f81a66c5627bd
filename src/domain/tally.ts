/** Sums of the usage of model requests, for stored rows and for the views of clients. */
import type { RequestUsage } from '#contract/event.ts';
import type { Tally, Usage } from '#contract/outcome.ts';

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
const SPARSE_COUNTS = [
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

/** Returns the amounts that one request adds to the totals of its run, workflow and conversation. */
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

/** Returns the estimated part of the tokens of all classes. */
export function estimatedTokensOf({ estimatedInputTokens = 0, estimatedOutputTokens = 0 }: Tally | Usage): number {
  return estimatedInputTokens + estimatedOutputTokens;
}

/** Returns the input tokens of all classes: fresh, read from the cache and written to it. */
export function inputTokensOf(tally: Tally): number {
  return tally.inputTokens + tally.cacheReadTokens + tally.cacheWriteTokens;
}

/** The parts of a number of tokens, for every screen. */
export interface TokenParts {
  /** Tokens of all classes. */
  input: number;
  /** Input tokens by class, if they are known. */
  classes?: { fresh: number; cached: number; written: number };
  output: number;
  /** The estimated part of input and output. */
  estimated: number;
}

export function tokenPartsOf(usage: Tally): TokenParts {
  const { inputTokens: fresh, cacheReadTokens: cached, cacheWriteTokens: written, outputTokens: output } = usage;
  const classes = { fresh, cached, written };
  return { input: inputTokensOf(usage), classes, output, estimated: estimatedTokensOf(usage) };
}

/** Returns the share of the input tokens that was read from the provider's cache, from 0 to 1; null without input. */
export function cachedShareOf(
  used: Pick<Usage, 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>,
): number | null {
  const all = used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens;
  return all === 0 ? null : used.cacheReadTokens / all;
}

/** Returns this share in whole percents; null if nothing was read from the cache. */
export function cachedPercentOf(used: Parameters<typeof cachedShareOf>[0]): number | null {
  const share = cachedShareOf(used);
  if (share === null || share === 0) return null;
  // Rounds to 0 or 100 only if the share is exactly that.
  return share === 1 ? 100 : Math.min(99, Math.max(1, Math.round(share * 100)));
}

/** Returns this share as text, such as `cached 83 %`; null if nothing was read from the cache. */
export function cachedText(used: Parameters<typeof cachedShareOf>[0]): string | null {
  const percent = cachedPercentOf(used);
  return percent === null ? null : `cached ${percent} %`;
}

/** Returns the tokens in the context of a run after one of its turns; null for any other request. */
export function contextTokensOf(request: RequestUsage): number | null {
  if (request.purpose !== undefined || request.error !== null) return null;
  const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, outputTokens } = request;
  const input = inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
  return input === 0 ? null : input + outputTokens;
}
