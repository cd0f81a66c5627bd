/** The token of a printed URL, which must not stay in the address: it would be seen, kept in the history and copied. */
import { SIGN_IN_PATH } from '#contract/entry.ts';

let token: string | null = null;

/** Takes the token out of the address; to be called before anything else reads that. */
export function hideSignInToken(): void {
  if (location.pathname !== SIGN_IN_PATH) return;
  token = location.hash.slice(1) || null;
  history.replaceState(history.state, '', '/');
}

/** Null where the page was opened without one. */
export const signInToken = (): string | null => token;
