/** What a person sets for the tools that reach the web. */
import { z } from 'zod';

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
