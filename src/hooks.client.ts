/** What runs before the first page is looked for. */
import { hideSignInToken } from '#lib/app/client/sign-in-token.ts';

export const init = hideSignInToken;
