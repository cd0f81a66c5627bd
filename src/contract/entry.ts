/** How a browser gets in: what crosses its WebSocket before the frames of the contract. */

/** The page of a printed URL: `SIGN_IN_PATH#token`. The token is in the fragment, which no browser sends. */
export const SIGN_IN_PATH = '/sign-in';

/** Path at the app's origin that the sign-in page requests. The answer makes the browser delete the data of that origin. */
export const CLEAR_PATH = '/sign-in/clear';

/** The first frame of the host; `nonce` is new for each socket. */
export interface Challenge {
  kind: 'challenge';
  nonce: string;
}

/** A key and its signature under the `statement` of the frame that it comes in. */
export interface Proof {
  /** Public key on the curve P-256: SPKI in base64url. */
  key: string;
  /** ECDSA with SHA-256: the 64 bytes of r and s in base64url. */
  signature: string;
}

/**
 * The one answer of a page. `sign-in` trades a token for entry with a new key; `former` is the key that this browser had,
 * and is refused from then on. `sign-out-others` lets nobody in: it is answered, and the socket closes.
 */
export type Entry =
  | ({ kind: 'enter' } & Proof)
  | ({ kind: 'sign-in'; token: string; former: Proof | null } & Proof)
  | ({ kind: 'sign-out-others' } & Proof);

/** The host's answer. After `admitted`, frames of the contract follow. */
export type EntryReply = { kind: 'admitted' } | { kind: 'signed-out'; browsers: number };

/** Codes with which the host closes a socket; any other one means: try again. */
export const ENTRY_CLOSE = {
  /** The key is unknown, or signed out, or does not fit its signature; or something else came first. */
  stranger: 4401,
  /** The token was used, or is none. */
  token: 4403,
  /** No answer in time, or too many wait. */
  late: 4408,
} as const;

/** What a key signs. A signature is good for one socket, one page's origin and one purpose. */
export function statement(kind: Entry['kind'], origin: string, nonce: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`triad ${kind}\n${origin}\n${nonce}`);
}
