/** `triad config key`: keeps a key, or headers, for the address that is set now; read from the standard input. */
import { text as readText } from 'node:stream/consumers';
import type { Client } from '#contract/rpc.ts';
import { UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';

/** Of what: the search of the web, the collector of telemetry, or the provider of that name. */
export async function keepKey(
  io: Io,
  client: Client,
  of: string,
  options: { remove?: boolean; user?: string; token?: boolean },
): Promise<void> {
  if (options.user !== undefined || options.token === true)
    throw new UsageError(`"--user" and "--token" are of the store: a key of ${of} has neither`);
  const told =
    of === 'telemetry'
      ? await keepHeaders(client, await given(io, of, { ...options, what: 'headers', also: '' }))
      : await keepOf(
          client,
          of,
          await given(io, of, { ...options, what: 'key', also: ', or enter it on the settings page' }),
        );
  io.screen.note(told);
}

function keepOf(client: Client, of: string, apiKey: string): Promise<string> {
  return of === 'web_search' ? keepOfSearch(client, apiKey) : keepOfProvider(client, of, apiKey);
}

/** Never an argument: those are seen by every program. Empty where it is to be forgotten. */
async function given(
  { stdin }: Io,
  of: string,
  { remove = false, what, also }: { remove?: boolean; what: string; also: string },
): Promise<string> {
  if (remove) return '';
  if (stdin.isTTY === true) throw new UsageError(`Pipe the ${what} in, as in: triad config key ${of} < FILE${also}`);
  const text = (await readText(stdin)).trim();
  if (text === '') throw new UsageError(`There is no ${what} in it: "--remove" forgets what is kept`);
  return text;
}

async function keepOfSearch(client: Client, apiKey: string): Promise<string> {
  const { keyOf, place } = await client.request('search.set-key', { apiKey });
  if (keyOf === null) return 'No key of a search is kept from now on.';
  return `The key is kept in ${visible(place)} and sent to ${visible(keyOf)} only.`;
}

async function keepHeaders(client: Client, headers: string): Promise<string> {
  const { endpoint, headersOf } = await client.request('telemetry.set-headers', { headers });
  if (headers === '') return 'No headers for a collector are kept from now on.';
  const instead =
    headersOf === 'environment' ? ' Those of OTEL_EXPORTER_OTLP_HEADERS are sent as long as it is set.' : '';
  return `The headers are kept, and sent to ${visible(endpoint ?? 'nobody')} only.${instead}`;
}

async function keepOfProvider(client: Client, name: string, apiKey: string): Promise<string> {
  const { providers, secrets } = await client.request('provider.set', { name, apiKey });
  const state = providers.find((one) => one.name === name);
  const kept =
    apiKey === ''
      ? `No key of ${name} is kept from now on.`
      : `The key is kept in ${visible(secrets.backend)} and sent to ${visible(state?.address ?? '')} only.`;
  if (state?.keySource === 'environment') return `${kept} The one in ${state.keyEnv} goes before it.`;
  return state?.keySource === 'file' ? `${kept} The one in the settings file goes before it.` : kept;
}
