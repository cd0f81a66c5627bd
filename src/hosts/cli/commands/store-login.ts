/** `triad config key store`: how to sign in to the server of the store. It is kept before any store can be opened. */
import { text as readText } from 'node:stream/consumers';
import { folders } from '#core/settings/folders.ts';
import { fileSecrets } from '#core/settings/secrets.ts';
import { remoteAddress } from '#core/store/remote/address.ts';
import { keepLogin } from '#core/store/remote/login.ts';
import { UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';

export interface StoreLoginOptions {
  user?: string;
  token?: boolean;
  remove?: boolean;
}

/** A password or a token is never an argument: those are seen by every program. */
export async function setStoreLogin({ env, screen, stdin }: Io, options: StoreLoginOptions): Promise<void> {
  const { user, token = false, remove = false } = options;
  const address = remoteAddress(env['TRIAD_STORE'] ?? '');
  if (address === null)
    throw new UsageError('Set TRIAD_STORE to wss://HOST/NAMESPACE/DATABASE first: the login is for that');
  const secrets = fileSecrets((await folders(env)).config);
  if (remove) {
    await keepLogin(secrets, address, null);
    return screen.note('No login of a store is kept from now on.');
  }
  if ((user === undefined) === !token)
    throw new UsageError('Say whose password it is with "--user NAME", or "--token"');
  if (stdin.isTTY === true) throw new UsageError('Pipe it in, as in: triad config key store --user NAME < FILE');
  // Only the end of its line is none of it.
  const secret = (await readText(stdin)).replace(/\r?\n$/, '');
  if (secret.trim() === '') throw new UsageError('There is nothing in it: "--remove" forgets the login');
  await keepLogin(secrets, address, user === undefined ? { token: secret } : { user, password: secret });
  const what = user === undefined ? 'token' : `password of ${visible(user)}`;
  screen.note(`The ${what} is kept in ${visible(secrets.place.backend)} and sent to ${visible(address.name)} only.`);
}
