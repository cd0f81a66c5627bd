/** What a number of tokens consists of: one definition for every screen. Pure. */
import type { RequestUsage } from '#contract/event.ts';
import type { Tally } from '#contract/outcome.ts';
import { estimatedTokensOf, inputTokensOf, tallyOf } from '#contract/tally.ts';

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

export function tokenPartsOfRequest(request: RequestUsage): TokenParts {
  return tokenPartsOf(tallyOf(request));
}
