/** Opens the ports of the browser host, on addresses of this machine only. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TriadError } from '#core/base/errors.ts';
import { createServer } from '#core/base/http.ts';

/** Maximum number of attempts to find a port that is free on both addresses. */
const MAX_TRIES = 5;
const NO_IPV6: ReadonlySet<unknown> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

/**
 * Opens one port on `127.0.0.1` and `::1`, because browsers try both for names below `localhost`. Port 0 takes a free one.
 * Rejects with `conflict` if the port cannot be opened.
 */
export async function listenOnLoopback(port: number): Promise<{ port: number; servers: Server[] }> {
  for (let tries = 1; ; tries += 1) {
    const first = createServer();
    const openedPort = await listen(first, port, '127.0.0.1');
    try {
      return { port: openedPort, servers: [first, ...(await listenOnIpv6(openedPort))] };
    } catch (error) {
      await new Promise((resolve) => first.close(resolve));
      if (port !== 0 || tries === MAX_TRIES) throw error;
    }
  }
}

/** Opens a free port on `127.0.0.1` only. */
export async function listenOnFreePort(): Promise<{ port: number; server: Server }> {
  const server = createServer();
  return { port: await listen(server, 0, '127.0.0.1'), server };
}

async function listenOnIpv6(port: number): Promise<Server[]> {
  const server = createServer();
  try {
    await listen(server, port, '::1');
    return [server];
  } catch (error) {
    const { cause } = error as TriadError;
    if (cause instanceof Error && 'code' in cause && NO_IPV6.has(cause.code)) return [];
    throw error;
  }
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host, ipv6Only: true }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const why = code === 'EADDRINUSE' ? 'is in use' : code === 'EACCES' ? 'needs more rights' : 'cannot be opened';
    throw new TriadError('conflict', `Port ${port} ${why}: choose another with --port`, { cause: error });
  }
  // A listening TCP server has an address with a port.
  return (server.address() as AddressInfo).port;
}
