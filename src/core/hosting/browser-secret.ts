/** The secret behind browser cookies: created once and kept with the keys, so that open tabs survive restarts. */
import { randomBytes } from 'node:crypto';
import type { Secrets } from '../settings/secrets.ts';

const NAME = 'browser.session';

export async function browserSecret(secrets: Secrets): Promise<string> {
  const known = await secrets.get(NAME);
  if (known !== null) return known;
  const fresh = newSecret();
  await secrets.set(NAME, fresh);
  return fresh;
}

/** A new random secret: 32 bytes in base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
