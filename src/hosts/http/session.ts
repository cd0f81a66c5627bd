/** Who may use the browser host: a token that works once, exchanged for a cookie that outlives a restart of the host. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Session {
  /** For the printed URL. */
  readonly token: string;
  /** Spends the token: true for the first right one, false for ever after. */
  redeem(token: string): boolean;
  /** The `Set-Cookie` value of a redeemed token. */
  cookie(): string;
  /** Whether a request's `Cookie` header proves the session. */
  holds(header: string | undefined): boolean;
}

/**
 * `secret` is what the cookie proves: kept by the host, so that open tabs go on after a restart. Cookies are not bound
 * to a port, so the name is: two instances on one host do not overwrite each other.
 */
export function createSession(port: number, secret: string): Session {
  const token = randomBytes(32).toString('base64url');
  const name = `triad_session_${port}`;
  let spent = false;
  return {
    token,
    redeem: (given) => {
      if (spent || !same(given, token)) return false;
      spent = true;
      return true;
    },
    cookie: () => `${name}=${secret}; Path=/; HttpOnly; SameSite=Strict`,
    holds: (header) => cookiesNamed(name, header).some((value) => same(value, secret)),
  };
}

function cookiesNamed(name: string, header = ''): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** Compares hashes, so that neither content nor length shows in the time taken. */
function same(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
