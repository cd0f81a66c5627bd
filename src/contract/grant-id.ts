/** How a grant is named where rules are: in a decision, and in the steps of a verdict. */
const GRANT = 'grant:';

export function ruleIdOf(grantId: string): string {
  return `${GRANT}${grantId}`;
}

/** Null for anything else that decides. */
export function grantIdOf(ruleId: string | null): string | null {
  return ruleId?.startsWith(GRANT) ? ruleId.slice(GRANT.length) : null;
}
