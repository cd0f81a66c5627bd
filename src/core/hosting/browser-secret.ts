/** What the cookies of this installation's browsers prove: made once, kept with the keys, so that tabs outlive restarts. */
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

/** A secret for cookies. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
