/** `triad config key`: keys and headers, read from the standard input. */
import { text as readText } from 'node:stream/consumers';
import type { Client } from '#contract/rpc.ts';
import { UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';

interface Options {
  remove?: boolean;
}

export async function setSearchKey(io: Io, client: Client, options: Options): Promise<void> {
  const apiKey = await given(io, 'web_search', options);
  const { keyOf, place } = await client.request('search.set-key', { apiKey });
  io.screen.note(
    keyOf === null
      ? 'No key of a search is kept from now on.'
      : `The key is kept in ${visible(place)} and sent to ${visible(keyOf)} only.`,
  );
}

export async function setTelemetryHeaders(io: Io, client: Client, options: Options): Promise<void> {
  const headers = await given(io, 'telemetry', options);
  const { endpoint, headersOf } = await client.request('telemetry.set-headers', { headers });
  if (headers === '') return io.screen.note('No headers for a collector are kept from now on.');
  const instead =
    headersOf === 'environment' ? ' Those of OTEL_EXPORTER_OTLP_HEADERS are sent as long as it is set.' : '';
  io.screen.note(`The headers are kept, and sent to ${visible(endpoint ?? 'nobody')} only.${instead}`);
}

/** Never an argument: those are seen by every program. Empty where it is to be forgotten. */
async function given({ stdin }: Io, of: string, { remove = false }: Options): Promise<string> {
  if (remove) return '';
  const what = of === 'telemetry' ? 'headers' : 'key';
  if (stdin.isTTY === true)
    throw new UsageError(
      `Pipe the ${what} in, as in: triad config key ${of} < FILE${of === 'telemetry' ? '' : ', or enter it on the settings page'}`,
    );
  const text = (await readText(stdin)).trim();
  if (text === '')
    throw new UsageError(
      `The ${what} ${of === 'telemetry' ? 'are' : 'is'} empty: "--remove" forgets ${of === 'telemetry' ? 'them' : 'it'}`,
    );
  return text;
}
