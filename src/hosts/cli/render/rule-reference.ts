/** How the terminal names a rule: by its place, and by a mark of what it says, so that no other one is meant by it. Pure. */
import type { Rule } from '#contract/permission.ts';
import { canonicalHash } from '#core/base/hash.ts';

const MARK_CHARS = 8;

/** Such as `user:2-7f3a9c12`; of two rules that say the same in one file the marks are the same. */
export function referenceOf(rule: Rule): string {
  return `${rule.id}-${markOf(rule)}`;
}

/** As it was typed; null where it is none. */
export function parsedReference(word: string): { scope: Rule['scope']; number: number; mark: string } | null {
  const [, scope, number, mark] = /^(user|project):([1-9]\d{0,3})-([0-9a-f]{8})$/.exec(word) ?? [];
  return scope === undefined ? null : { scope: scope as Rule['scope'], number: Number(number), mark: mark! };
}

/** Place from 0 of the rule that says this: where it was, else where it is by now; null where none says it any more. */
export function foundBy(rules: readonly Rule[], { number, mark }: { number: number; mark: string }): number | null {
  const at = rules.flatMap((rule, index) => (markOf(rule) === mark ? [index] : []));
  return at.includes(number - 1) ? number - 1 : (at.at(-1) ?? null);
}

function markOf({ scope, effect, agent, tool, permission, pattern }: Rule): string {
  return canonicalHash({ scope, effect, agent, tool, permission, pattern }).slice(0, MARK_CHARS);
}
