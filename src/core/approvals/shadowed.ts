/** Rules that never decide, because another one always does before them. Pure; says nothing where it is not certain. */
import type { Rule } from '#contract/permission.ts';
import type { ShadowedRule } from '#contract/permissions/rule-edit.ts';

/** `rules`: those that hold, in the order in which they are judged. */
export function shadowedIn(rules: readonly Rule[]): ShadowedRule[] {
  return rules.flatMap((rule, index) => {
    const by = rules.find((other, at) => at !== index && goesBefore(other, rule, at < index) && covers(other, rule));
    return by ? [{ id: rule.id, by: by.id }] : [];
  });
}

/** Whether `other` decides wherever both of them apply. Mirrors the order of the steps in `judge`. */
function goesBefore(other: Rule, rule: Rule, isEarlier: boolean): boolean {
  if (other.effect === 'deny') return rule.effect !== 'deny' || isEarlier;
  if (rule.effect === 'deny') return false;
  // The project's word on a call makes the person's own count no more, but for what is denied; where it allows, but not this
  // call, what the person asks about or names still counts.
  if (other.scope !== rule.scope) return other.scope === 'project' && (other.effect === 'ask' || !isNamed(rule));
  if (other.effect === 'ask') return rule.effect === 'allow' || isEarlier;
  // What allows may allow less than it covers, such as what cannot be undone: only its like goes before.
  return rule.effect === 'allow' && isEarlier && isLike(other, rule);
}

function isNamed({ effect, tool, pattern }: Rule): boolean {
  return effect === 'ask' || (tool !== null && pattern !== null);
}

function isLike(a: Rule, b: Rule): boolean {
  return (['agent', 'tool', 'permission', 'pattern'] as const).every((key) => a[key] === b[key]);
}

const isAny = (pattern: string): boolean => /^\*+$/.test(pattern);

/** Whether `other` applies to every call that `rule` applies to. */
function covers(other: Rule, rule: Rule): boolean {
  // What allows must match exactly, what denies or asks in any case: the same words cover less then.
  const isNarrower = other.effect === 'allow' && rule.effect !== 'allow';
  const same = (a: string, b: string | null): boolean => a === b && !isNarrower;
  const names = other.agent === null || isAny(other.agent) || same(other.agent, rule.agent);
  const what =
    other.tool !== null
      ? isAny(other.tool) || same(other.tool, rule.tool)
      : rule.permission !== null && same(other.permission!, rule.permission);
  // `*` stops at a slash where it stands for paths, so only `**` is about all of them.
  const isAll = other.pattern !== null && /^\*{2,}$/.test(other.pattern) && rule.pattern !== null && !isNarrower;
  const where = other.pattern === null || isAll || same(other.pattern, rule.pattern);
  return names && what && where;
}
