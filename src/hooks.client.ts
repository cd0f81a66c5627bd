/** What runs before the first page is looked for. */
import { hideSignInToken } from '#lib/client/sign-in-token.ts';

export const init = hideSignInToken;
