/** From a server's configuration to a connection: the one place that knows the SDK's transports. */
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { Environment } from '../base/child-environment.ts';
import type { RunningCommands } from '../workspace/shell/command-processes.ts';
import { Connection, type ConnectionParts } from './connection.ts';
import { HttpTransport } from './http-transport.ts';
import { type ServerTransport, StdioTransport } from './stdio-transport.ts';

export interface ConnectPorts {
  /** Of this program; a server gets little of it. */
  readonly env: Environment;
  /** Of this program. */
  readonly version: string;
  /** Signs in to a server at an address; null where it has no sign-in. */
  readonly auth: (name: string, url: string) => OAuthClientProvider | null;
  readonly fetch: typeof fetch;
}

export type Connecting = Omit<ConnectionParts, 'transport' | 'version'>;

/** Throws what `Connection.open` throws. `running`: what is killed when the program exits without waiting. */
export function connect(
  parts: Connecting,
  ports: ConnectPorts,
  running: RunningCommands,
  signal: AbortSignal,
): Promise<Connection> {
  return Connection.open({ ...parts, version: ports.version, transport: transportOf(parts, ports, running) }, signal);
}

function transportOf(
  { server, folder, log }: Connecting,
  ports: ConnectPorts,
  running: RunningCommands,
): ServerTransport {
  const { transport, name } = server;
  if (transport.kind === 'stdio')
    return new StdioTransport({ ...transport, cwd: transport.cwd ?? folder }, ports.env, running, log);
  const { url, headers } = transport;
  return new HttpTransport({ url, headers, auth: ports.auth(name, url), fetch: (to, init) => ports.fetch(to, init) });
}
