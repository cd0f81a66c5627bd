/** Where spans go: the address and the headers, by the environment, the settings and the key store. */
import type { TelemetryState } from '#contract/telemetry/telemetry-methods.ts';
import type { Environment } from '#core/base/child-environment.ts';
import { TriadError } from '#core/base/errors.ts';
import { addressOf, keptKey } from '#core/model/kept-key.ts';
import type { Secrets } from '#core/settings/secrets.ts';
import type { Settings } from '#core/settings/settings.ts';

export interface CollectorPorts {
  settings: Pick<Settings, 'telemetry'>;
  secrets: Secrets;
  env: Environment;
}

type Place = Pick<TelemetryState, 'endpoint' | 'source'>;
type Headers = Readonly<Record<string, string>>;

const KEPT = 'telemetry';
const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const HEADERS = 'OTEL_EXPORTER_OTLP_HEADERS';
const NOWHERE: Place = { endpoint: null, source: null };

/** The environment wins where it is set. An address that is none counts as not set. */
export function placeOf({ settings, env }: Pick<CollectorPorts, 'settings' | 'env'>): Place {
  const { endpoint } = settings.telemetry;
  const given = env[ENDPOINT];
  if (given && /^https?:\/\//.test(given) && URL.canParse(given)) return { endpoint: given, source: 'environment' };
  return endpoint === null ? NOWHERE : { endpoint, source: 'settings' };
}

/** Those of the environment, else those that are kept for this very address. */
export async function headersOf(
  { secrets, env }: Pick<CollectorPorts, 'secrets' | 'env'>,
  endpoint: string,
): Promise<{ headers: Headers; headersOf: TelemetryState['headersOf'] }> {
  const given = env[HEADERS];
  if (given) return { headers: parsedHeaders(given), headersOf: 'environment' };
  const kept = await keptKey(secrets, KEPT).catch(() => null);
  if (kept === null || kept.address !== addressOf(endpoint)) return { headers: {}, headersOf: null };
  return { headers: parsedHeaders(kept.apiKey), headersOf: 'key store' };
}

/** Throws `bad_input` where nothing is sent, or the text holds no headers. */
export async function keepHeaders(ports: CollectorPorts, text: string): Promise<void> {
  const headers = text.trim();
  if (headers === '') return ports.secrets.set(KEPT, null);
  const { endpoint } = placeOf(ports);
  if (endpoint === null)
    throw new TriadError(
      'bad_input',
      'No collector is set up that the headers could belong to: set telemetry.endpoint',
    );
  if (Object.keys(parsedHeaders(headers)).length !== headers.split(',').length)
    throw new TriadError('bad_input', 'These are no headers: write NAME=VALUE, separated by commas');
  await ports.secrets.set(KEPT, JSON.stringify({ apiKey: headers, address: addressOf(endpoint) }));
}

/** As the conventions of OpenTelemetry write them: `name=value,name=value`, values percent-encoded. What is none is left out. */
function parsedHeaders(text: string): Headers {
  const pairs = text.split(',').flatMap((one) => {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x20-\x7e]*?)\s*$/.exec(one) ?? [];
    return name === undefined || value === undefined ? [] : [[name, decoded(value)] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
