/** What a call is about, as its tool says: rules and grants match their patterns against it. */
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { alternativesOf, escapePattern, literalOf, matchesWords, patternOf } from '../base/pattern.ts';

/**
 * `path`: the values are paths, relative to the workspace folder where they lie in it. `each`: each value is something
 * that is done, which a rule of its own may allow; else what allows must match all of them. Null: unknown.
 * `whole`: all of the call as one text, where the values leave some of it out: a pattern without wildcards that is this text
 * matches it, too. Null: no pattern can stand for all of it. `startsIn`: where it begins, relative to the workspace folder;
 * left out: in that itself. `limits`: values that only a pattern without wildcards allows, with the reason. `words`: all
 * words of a call that does more than its values. Rules that deny or ask are compared with each part of them. Null: the
 * words are unknown, so each rule that denies or asks applies.
 */
export type Targets = {
  values: readonly string[];
  path: boolean;
  each?: true;
  whole?: string | null;
  startsIn?: string;
  limits?: readonly { value: string; reason: Phrase }[];
  words?: string | null;
} | null;

/** Returns whether a pattern names this value without wildcards. */
export function namesValue(pattern: string, value: string): boolean {
  return alternativesOf(pattern).some((one) => literalOf(one) === value);
}

/** Returns whether a pattern that denies or asks applies to something beside the values. */
export function matchesHidden(pattern: string, { words }: NonNullable<Targets>): boolean {
  return words === null || (words !== undefined && matchesWords(pattern, words));
}

/** Returns the targets of one value alone. */
export function selectTarget(targets: NonNullable<Targets>, value: string): NonNullable<Targets> {
  const { words, ...rest } = targets;
  const isLimited = targets.limits?.some((limit) => limit.value === value) ?? false;
  return { ...rest, values: [value], ...(isLimited && words !== undefined ? { words } : {}) };
}

/** Returns why only a pattern without wildcards may allow the call; null if any may. */
export function findLimitReason(targets: Targets): Phrase | null {
  if (targets?.words === undefined) return null;
  const limit = targets.limits?.find(({ value }) => targets.values.includes(value));
  return limit?.reason ?? (targets.values.length === 0 ? phrase('not_simple') : null);
}

/** How the folder in which a command begins stands behind it. */
export const STARTS_IN = '# in ';

/** All of the call, with where it begins; null where no text can stand for that. */
export function wholeText({ whole, startsIn }: NonNullable<Targets>): string | null {
  if (whole == null || startsIn === undefined) return whole ?? null;
  return `${whole} ${STARTS_IN}${startsIn}`;
}

/** A pattern that matches this very call and no more; null where nothing of it can be named. */
export function exactPattern(targets: Targets): string | null {
  if (!targets || targets.whole === null) return null;
  if (targets.values.length === 0 && targets.whole === undefined) return null;
  return targets.whole === undefined ? patternOf(targets.values) : escapePattern(wholeText(targets)!);
}
