/** How this installation signs in to the server of its store: from the environment, or as kept with the keys. */
import { z } from 'zod';
import type { Environment } from '../../base/child-environment.ts';
import { errorInfo, TriadError } from '../../base/errors.ts';
import type { Secrets } from '../../settings/secrets.ts';
import type { RemoteAddress } from './address.ts';
import type { Login } from './options.ts';

const NAME = 'store';

/** With the address, by its `name`, that alone may get it. */
const Kept = z.object({
  address: z.string(),
  login: z.union([z.object({ user: z.string(), password: z.string() }), z.object({ token: z.string() })]),
});

/** Null where there is none for this address. Rejects with `bad_input` for half of one in the environment. */
export async function loginFor(
  { name }: RemoteAddress,
  secrets: Pick<Secrets, 'get'>,
  { TRIAD_STORE_TOKEN: token, TRIAD_STORE_USER: user, TRIAD_STORE_PASSWORD: password }: Environment,
): Promise<Login | null> {
  if (token) return { token };
  if (user && password) return { user, password };
  if (user || password)
    throw new TriadError('bad_input', 'TRIAD_STORE_USER and TRIAD_STORE_PASSWORD belong together: set both, or none.');
  const text = await secrets.get(NAME);
  const kept = text === null ? null : parse(text);
  return kept?.address === name ? kept.login : null;
}

/** Address and login are one entry, so that no crash leaves one with the other's former value. Null forgets it. */
export async function keepLogin(secrets: Secrets, address: RemoteAddress, login: Login | null): Promise<void> {
  await secrets.set(NAME, login === null ? null : JSON.stringify({ address: address.name, login }));
}

/** The error for a server that was reached, and does not do what is asked. */
export function unfit({ name }: RemoteAddress, cause: unknown): TriadError {
  const { message } = errorInfo(cause);
  return new TriadError(
    'store_failed',
    `The database ${name} cannot be used (${message}): sign in as a user with the role EDITOR or OWNER of it, with "triad config key store --user NAME < FILE".`,
    { cause, detail: message },
  );
}

function parse(text: string): z.infer<typeof Kept> | null {
  try {
    return Kept.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
