/** `triad config key`: keeps the key of a provider, or of the search of the web, for the address that is set now. */
import { text as readText } from 'node:stream/consumers';
import type { Client } from '#contract/rpc.ts';
import { UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';

const SEARCH = 'web_search';

/** A key is never an argument: those are seen by every program. */
export async function keepKey(
  io: Io,
  client: Client,
  of: string,
  { remove = false }: { remove?: boolean },
): Promise<void> {
  const { screen, stdin } = io;
  if (!remove && stdin.isTTY === true)
    throw new UsageError(`Pipe the key in, as in: triad config key ${of} < FILE, or enter it on the settings page`);
  const apiKey = remove ? '' : (await readText(stdin)).trim();
  if (!remove && apiKey === '') throw new UsageError('The key is empty: "--remove" forgets it');
  const told = of === SEARCH ? await keepOfSearch(client, apiKey) : await keepOfProvider(client, of, apiKey);
  screen.note(told);
}

async function keepOfSearch(client: Client, apiKey: string): Promise<string> {
  const { keyOf, place } = await client.request('search.set-key', { apiKey });
  if (keyOf === null) return 'No key of a search is kept from now on.';
  return `The key is kept in ${visible(place)} and sent to ${visible(keyOf)} only.`;
}

async function keepOfProvider(client: Client, name: string, apiKey: string): Promise<string> {
  const { providers, secrets } = await client.request('provider.set', { name, apiKey });
  const state = providers.find((one) => one.name === name);
  const is = apiKey === '' ? `No key of ${name} is kept from now on.` : '';
  const kept =
    is || `The key is kept in ${visible(secrets.backend)} and sent to ${visible(state?.address ?? '')} only.`;
  if (state?.keySource === 'environment') return `${kept} The one in ${state.keyEnv} goes before it.`;
  return state?.keySource === 'file' ? `${kept} The one in the settings file goes before it.` : kept;
}
