/** The token of a printed URL, which must not stay in the address: it would be seen, kept in the history and copied. */
import { SIGN_IN_PATH } from '#contract/entry.ts';

/** Until it was used, it outlives a reload of its tab. */
export const SIGN_IN_TOKEN = 'triad.sign-in-token';
let token: string | null = null;

/** Takes the token out of the address; to be called before anything else reads that. */
export function hideSignInToken(): void {
  const given = location.pathname === SIGN_IN_PATH ? location.hash.slice(1) : '';
  if (location.pathname === SIGN_IN_PATH) history.replaceState(history.state, '', '/');
  try {
    if (given !== '') sessionStorage.setItem(SIGN_IN_TOKEN, given);
    token = sessionStorage.getItem(SIGN_IN_TOKEN);
  } catch {
    // A browser that keeps nothing: it is told so when it has to keep its key.
    token = given || null;
  }
}

/** Null where none is left to use. */
export const signInToken = (): string | null => token;

export function forgetSignInToken(): void {
  if (token !== null) sessionStorage.removeItem(SIGN_IN_TOKEN);
  token = null;
}
