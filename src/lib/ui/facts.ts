/** Figures of a line as data, so that one line of them is drawn in one go. */
import type { Tally } from '#contract/outcome.ts';
import { cachedPercentOf, estimatedTokensOf, tokenPartsOf, type TokenParts } from '#domain/tally.ts';
import { type Bound, type BudgetKind, isReached } from '#lib/view/budgets.ts';
import { cost, count, minutes, tokens, UNKNOWN, usd } from '#lib/view/format.ts';
import { text } from '#lib/words/text.ts';

export interface Fact {
  text: string;
  /** Says more, where somebody points at it. */
  title?: string | undefined;
  class?: string;
}

/** Only for who hears the line. */
const heard = (said: string): Fact => ({ text: said, class: 'sr-only' });

interface TokenOptions {
  /** Without its unit, where a column says what it is. */
  short?: boolean | undefined;
  /** It is a part of the name of a row or a button, which stays short: its parts are not heard. */
  inName?: boolean | undefined;
}

/** Tokens of all classes as one number, the same on every screen; its parts stand in the tooltip and are heard. */
export function tokenFacts(parts: TokenParts, { short = false, inName = false }: TokenOptions = {}): Fact[] {
  const said = text.usage.parts(parts);
  const sum = `${parts.estimated > 0 ? '≈ ' : ''}${tokens(parts.input + parts.output)}`;
  const shown = { text: short ? sum : text.usage.sum(sum), title: said, class: 'whitespace-nowrap' };
  return inName ? [shown] : [shown, heard(` (${said})`)];
}

/** Tokens, the share of what was read that came from the cache, and what they cost. */
export function usageFacts(usage: Tally, options?: TokenOptions): Fact[] {
  const words = text.usage;
  const cached = cachedPercentOf(usage);
  const estimated = estimatedTokensOf(usage);
  return [
    ...tokenFacts(tokenPartsOf(usage), options),
    ...(cached === null ? [] : [{ text: words.cached(cached) }]),
    ...(usage.webSearches ? [{ text: words.searches(usage.webSearches) }] : []),
    ...(estimated > 0 ? [{ text: words.estimated(tokens(estimated)), title: words.estimatedWhy }] : []),
    ...costFacts(usage, options),
  ];
}

/** What the tokens cost, or that a price is unknown. */
export function costFacts(usage: Tally, options?: TokenOptions): Fact[] {
  const words = text.usage;
  if (usage.unpriced > 0) return [{ text: words.unknownCost, title: words.costUnknown }];
  return [...(options?.inName ? [] : [heard(words.costKnown)]), { text: cost(usage), title: words.costKnown }];
}

const FORMATS: Readonly<Record<BudgetKind, (value: number) => string>> = {
  tokens,
  costUsd: usd,
  minutes,
  iterations: count,
};

/** What is used of what is allowed, one fact for each bound. */
export function boundFacts(bounds: readonly Bound[]): Fact[] {
  const { used: sentences, label } = text.work.budget;
  return bounds.map((bound) => {
    const { kind, used, of } = bound;
    const format = FORMATS[kind];
    const sentence = sentences[kind](used === null ? UNKNOWN : format(used), format(of));
    return { text: sentence, title: label, ...(isReached(bound) && { class: 'text-danger' }) };
  });
}
