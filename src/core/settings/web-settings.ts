/** What a person sets for the tools that reach the web. */
import { z } from 'zod';
import { HeaderName, SearchUrl } from './search-url.ts';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** A host as addresses name it, and a port where only that one is meant. */
const HOST = /^(?<name>\[[^\]]+\]|[^:[\]]+)(?::(?<port>\d{1,5}))?$/;

const PrivateHost = z
  .string()
  .min(1)
  .max(260)
  .refine(
    (text) => isHost(text),
    'must be the name of a host, such as "localhost" or "localhost:3000", and no pattern',
  );

export const WebSettings = z
  .strictObject({
    private_hosts: z.array(PrivateHost).max(100).default([]),
    search: z
      .strictObject({
        url: SearchUrl.nullable()
          .default(null)
          .describe(
            'Address of a search that answers in JSON, with {query} where the query goes, such as that of a SearXNG or of Brave. Not set: none.',
          ),
        key_header: HeaderName.nullable()
          .default(null)
          .describe(
            'Header in which the kept key of that search is sent, such as X-Subscription-Token. Not set: none.',
          ),
        results: z.int().min(1).max(50).default(8).describe('Most results of one search that an agent is given.'),
        max_uses: z
          .int()
          .min(1)
          .max(100)
          .default(5)
          .describe('Most searches that the provider of the model makes itself in one model request.'),
      })
      .prefault({}),
  })
  .prefault({});

/** Written as an address would have it: else it would permit nothing, and nobody would know why. */
function isHost(text: string): boolean {
  const { name, port = '' } = HOST.exec(text)?.groups ?? {};
  const url = URL.parse(`http://${name}/`);
  return name !== undefined && url?.hostname === name && !name.includes('*') && Number(port) <= 65_535;
}

/** Whether the person permits this host, on any port or on this one, although it is not public. */
export function isPermitted({ hostname, port, protocol }: URL, hosts: readonly string[]): boolean {
  return hosts.includes(hostname) || hosts.includes(`${hostname}:${port || DEFAULT_PORTS[protocol]}`);
}
