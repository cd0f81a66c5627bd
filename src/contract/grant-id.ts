/** The rule id of a grant, as decisions and verdict steps carry it. */
const GRANT = 'grant:';

export function ruleIdOf(grantId: string): string {
  return `${GRANT}${grantId}`;
}

/** The grant's id; null if the rule id is not that of a grant. */
export function grantIdOf(ruleId: string | null): string | null {
  return ruleId?.startsWith(GRANT) ? ruleId.slice(GRANT.length) : null;
}
