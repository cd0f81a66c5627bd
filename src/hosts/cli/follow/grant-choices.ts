/** Choices at the terminal for allowing more than one call: a letter for each offered scope. Pure. */
import type { GrantOffer, GrantRequest, GrantScope } from '#contract/permission.ts';
import { visible } from '../terminal/visible.ts';

const LETTERS = { workflow: 'w', conversation: 'c', project: 'p' } as const satisfies Record<GrantScope, string>;

const WORDS = {
  workflow: 'in this [w]orkflow',
  conversation: 'in this [c]onversation',
  project: 'always for this [p]roject',
} as const satisfies Record<GrantScope, string>;

/** Returns the lines below the question: the pattern and the duration of a grant. */
export function grantText({ agent, tool, pattern, scopes }: GrantOffer): string {
  const how = scopes.map((scope) => WORDS[scope]).join(', ');
  return `  More than once: ${visible(agent)} may use ${visible(tool)} on ${visible(pattern)}, ${how}`;
}

/** Returns the choices for the list of answers; empty if the question offers no grant. */
export function grantLetters({ scopes }: GrantOffer): string {
  return scopes.map((scope) => `[${LETTERS[scope]}]`).join('/');
}

/** Returns the grant of an answer; null for any other answer. */
export function wishOf(answer: string, { pattern, scopes }: GrantOffer): GrantRequest | null {
  const scope = scopes.find((one) => answer === LETTERS[one] || answer === one);
  return scope === undefined ? null : { scope, pattern };
}
