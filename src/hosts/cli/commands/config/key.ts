/** `triad config key`: stores a key, headers or a login for the address that is set now; read from the standard input. */
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { folders } from '#core/settings/folders.ts';
import { withClient } from '../../follow/link.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { readInput } from '../../terminal/read-input.ts';
import { visible } from '../../terminal/visible.ts';

interface Options {
  remove?: boolean;
  user?: string;
  token?: boolean;
}

export function addConfigKey(config: Command, io: Io): void {
  config
    .command('key')
    .description('store a key in the key store; the key is read from standard input')
    .argument('<name>', 'a provider; or web_search, telemetry (headers for the collector), or store (its login)')
    .option('--remove', 'delete the stored key')
    .option('--user <name>', 'user whose password it is (store only)')
    .option('--token', 'store a token instead of a password (store only)')
    .action((of: string, options: Options) =>
      of === 'store' ? storeLogin(io, options) : withClient(io, (client) => storeKey(io, client, of, options)),
    );
}

/** Stores or removes a key. `of`: the web search, the collector of telemetry, or the name of a provider. */
async function storeKey(io: Io, client: Client, of: string, options: Options): Promise<void> {
  if (options.user !== undefined || options.token === true)
    throw new UsageError(`"--user" and "--token" are of the store: a key of ${of} has neither`);
  const note =
    of === 'telemetry'
      ? await storeHeaders(client, await readSecret(io, of, { ...options, what: 'headers', also: '' }))
      : await storeKeyOf(
          client,
          of,
          await readSecret(io, of, { ...options, what: 'key', also: ', or enter it on the settings page' }),
        );
  io.screen.note(note);
}

function storeKeyOf(client: Client, of: string, apiKey: string): Promise<string> {
  return of === 'web_search' ? storeSearchKey(client, apiKey) : storeProviderKey(client, of, apiKey);
}

/** Reads the key from standard input, because other programs can see arguments. Returns an empty text for `--remove`. */
async function readSecret(
  { stdin }: Io,
  of: string,
  { remove = false, what, also }: { remove?: boolean; what: string; also: string },
): Promise<string> {
  if (remove) return '';
  if (stdin.isTTY === true) throw new UsageError(`Pipe the ${what} in, as in: triad config key ${of} < FILE${also}`);
  const text = (await readInput({ stdin })).trim();
  if (text === '') throw new UsageError(`There is no ${what} in it: "--remove" forgets what is kept`);
  return text;
}

async function storeSearchKey(client: Client, apiKey: string): Promise<string> {
  const { keyOf, place } = await client.request('search.set-key', { apiKey });
  if (keyOf === null) return 'No key of a search is kept from now on.';
  return `The key is kept in ${visible(place)} and sent to ${visible(keyOf)} only.`;
}

async function storeHeaders(client: Client, headers: string): Promise<string> {
  const { endpoint, headersOf } = await client.request('telemetry.set-headers', { headers });
  if (headers === '') return 'No headers for a collector are kept from now on.';
  const instead =
    headersOf === 'environment' ? ' Those of OTEL_EXPORTER_OTLP_HEADERS are sent as long as it is set.' : '';
  return `The headers are kept, and sent to ${visible(endpoint ?? 'nobody')} only.${instead}`;
}

async function storeProviderKey(client: Client, name: string, apiKey: string): Promise<string> {
  const { providers, secrets } = await client.request('provider.set', { name, apiKey });
  const state = providers.find((one) => one.name === name);
  const kept =
    apiKey === ''
      ? `No key of ${name} is kept from now on.`
      : `The key is kept in ${visible(secrets.backend)} and sent to ${visible(state?.address ?? '')} only.`;
  if (state?.keySource === 'environment') return `${kept} The one in ${state.keyEnv} goes before it.`;
  return state?.keySource === 'file' ? `${kept} The one in the settings file goes before it.` : kept;
}

/** Stores the login for the server of the store. Works without a client, because the store cannot be opened before. */
async function storeLogin({ env, screen, stdin }: Io, options: Options): Promise<void> {
  const { fileSecrets } = await import('#core/settings/secrets.ts');
  const { remoteAddress } = await import('#core/store/remote/address.ts');
  const { keepLogin } = await import('#core/store/remote/login.ts');
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
  const secret = (await readInput({ stdin })).replace(/\r?\n$/, '');
  if (secret.trim() === '') throw new UsageError('There is nothing in it: "--remove" forgets the login');
  await keepLogin(secrets, address, user === undefined ? { token: secret } : { user, password: secret });
  const what = user === undefined ? 'token' : `password of ${visible(user)}`;
  screen.note(`The ${what} is kept in ${visible(secrets.place.backend)} and sent to ${visible(address.name)} only.`);
}
