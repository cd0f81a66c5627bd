/** A yes for more than once at the terminal: a letter for each scope that the question offers, with the exact pattern. Pure. */
import type { GrantOffer, GrantRequest, GrantScope } from '#contract/permission.ts';
import { visible } from '../terminal/visible.ts';

const LETTERS = { workflow: 'w', conversation: 'c', project: 'p' } as const satisfies Record<GrantScope, string>;

const WORDS = {
  workflow: 'in this [w]orkflow',
  conversation: 'in this [c]onversation',
  project: 'always for this [p]roject',
} as const satisfies Record<GrantScope, string>;

/** What would be allowed, and for how long; stands below the question. */
export function grantText({ agent, tool, pattern, scopes }: GrantOffer): string {
  const how = scopes.map((scope) => WORDS[scope]).join(', ');
  return `  More than once: ${visible(agent)} may use ${visible(tool)} on ${visible(pattern)}, ${how}`;
}

/** As they stand among the other answers; empty where nothing may be granted. */
export function grantLetters({ scopes }: GrantOffer): string {
  return scopes.map((scope) => `[${LETTERS[scope]}]`).join('/');
}

/** Null for any other answer. */
export function wishOf(answer: string, { pattern, scopes }: GrantOffer): GrantRequest | null {
  const scope = scopes.find((one) => answer === LETTERS[one] || answer === one);
  return scope === undefined ? null : { scope, pattern };
}
