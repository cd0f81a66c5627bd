/** A web server on this machine that counts who connects, and goes away with the test. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface WebServer {
  port: number;
  /** With the port, for `web.private_hosts`. */
  host: string;
  /** With a slash at its end. */
  url: string;
  /** Connections so far. */
  readonly connections: number;
}

/** Null where this machine has no such address. */
export async function listening(
  answer: RequestListener,
  { address = '127.0.0.1', port = 0 }: { address?: string; port?: number } = {},
): Promise<WebServer | null> {
  const server = createServer(answer);
  let connections = 0;
  server.on('connection', () => (connections += 1));
  const isUp = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, address, () => resolve(true));
  });
  if (!isUp) return null;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const host = `${address.includes(':') ? `[${address}]` : address}:${(server.address() as AddressInfo).port}`;
  return {
    port: (server.address() as AddressInfo).port,
    host,
    url: `http://${host}/`,
    get connections() {
      return connections;
    },
  };
}

export async function webServer(answer: RequestListener): Promise<WebServer> {
  const server = await listening(answer);
  if (!server) throw new Error('No server can be started on 127.0.0.1');
  return server;
}
