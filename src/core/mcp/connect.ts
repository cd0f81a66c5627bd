/** From a server's configuration to a connection: the one place that knows the SDK's transports. */
import { mkdir } from 'node:fs/promises';
import { Connection, type ConnectionParts } from './connection.ts';
import { HttpTransport } from './http-transport.ts';
import type { Access } from './signed-fetch.ts';
import { planServerStart, type StartPorts } from './server-start.ts';
import { type ServerTransport, StdioTransport } from './stdio-transport.ts';

export interface ConnectPorts extends StartPorts {
  /** Of this program. */
  readonly version: string;
  /** Who the person is at a server at an address; null where nobody can sign in. */
  readonly auth: (name: string, url: string) => Access | null;
  readonly fetch: typeof fetch;
  /** Throws if changed control files of a workspace folder wait for an answer: then no program of it starts. */
  readonly ensureSettled: (folder: string) => Promise<void>;
  /** How long a server may take to get ready, in milliseconds. */
  readonly handshakeMs?: number;
}

const HANDSHAKE_MS = 15_000;

export type Connecting = Omit<ConnectionParts, 'transport' | 'version' | 'handshakeMs'>;

/** Throws what `Connection.open` throws. */
export function connect(parts: Connecting, ports: ConnectPorts, signal: AbortSignal): Promise<Connection> {
  const { version, handshakeMs = HANDSHAKE_MS } = ports;
  return Connection.open({ ...parts, version, handshakeMs, transport: transportOf(parts, ports) }, signal);
}

function transportOf({ server, folder, log }: Connecting, ports: ConnectPorts): ServerTransport {
  const { transport, name } = server;
  if (transport.kind === 'stdio')
    return new StdioTransport(async () => {
      await ports.ensureSettled(folder);
      const start = await planServerStart({ source: server.source, transport }, folder, ports);
      const { cwd } = start.program;
      if (cwd === ports.neutralFolder) await mkdir(cwd, { recursive: true, mode: 0o700 });
      return start;
    }, log);
  const { url, headers } = transport;
  // What the person signed in to is theirs: a client brings its own headers.
  const access = server.source === 'client' ? null : ports.auth(name, url);
  return new HttpTransport({ url, headers, access, fetch: (to, init) => ports.fetch(to, init) });
}
