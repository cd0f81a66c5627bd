/** The browser host: the built app for anybody on 127.0.0.1, and one WebSocket for each tab of a browser that is let in. */
import { realpath } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { SIGN_IN_PATH } from '#contract/entry.ts';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { createServer } from '#core/base/http.ts';
import type { BrowserKeys } from '#core/hosting/browser-keys.ts';
import { attachSocket, CLOSE, MAX_FRAME_BYTES } from '#core/hosting/web-socket.ts';
import { securityHeaders } from '#core/hosting/site/headers.ts';
import { Entrance } from './http/entrance.ts';
import { hostsOf, refusal } from './http/guard.ts';
import { serveFile } from './http/static-files.ts';

const CLOSE_GRACE_MS = 500;

export interface ServeOptions {
  /** 0 takes any free port. */
  port: number;
  /** Folder of the built web client. */
  webRoot: string;
  /** Stops the server. */
  signal: AbortSignal;
  /** Gets lines for developers. */
  report: (line: string) => void;
  /** Of the browsers that are let in. */
  keys: BrowserKeys;
  /** How long a socket may take to prove itself, in milliseconds. */
  patienceMs?: number;
}

export interface WebServer {
  readonly port: number;
  /** With the one-time token. */
  readonly url: string;
  /** Resolves when a browser has used the token. */
  readonly signedIn: Promise<void>;
  /** Tabs are served by this client from now on; those that are open are sent away, and attach again by themselves. */
  use(client: Client | null): void;
  /** Closes all connections; resolves when the port is free. Also after the signal. */
  close(): Promise<void>;
}

interface Site {
  /** Null while there is none: tabs that come then try again. */
  client: Client | null;
  root: string;
  entrance: Entrance;
  hosts: ReadonlySet<string>;
  report: (line: string) => void;
}

/** Rejects where the app is not built, the port is taken, or others may write the keys of browsers. */
export async function serve(client: Client | null, options: ServeOptions): Promise<WebServer> {
  const { signal, report, keys, patienceMs } = options;
  signal.throwIfAborted();
  await keys.check();
  const root = await webRoot(options.webRoot);
  const server = createServer();
  const port = await listen(server, options.port);
  const site: Site = {
    client,
    root,
    report,
    entrance: new Entrance({ keys, report, ...(patienceMs === undefined ? {} : { patienceMs }) }),
    hosts: hostsOf(port),
  };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  });

  server.on('request', (request, response) => {
    answer(site, request, response).catch((error: unknown) => {
      // A tab that left while it was being answered is nothing to report.
      if (!response.destroyed) report(`http: ${String(error)}`);
      response.destroy();
    });
  });
  server.on('upgrade', (request, socket, head) => upgrade(site, sockets, request, socket, head));
  server.on('clientError', (_error, socket) => socket.destroy());

  let closing: Promise<void> | null = null;
  const close = () => (closing ??= shut(site, server, sockets));
  signal.addEventListener('abort', () => void close(), { once: true });
  const use = (next: Client | null) => {
    site.client = next;
    for (const connection of sockets.clients) connection.close(CLOSE.restart, 'service restart');
  };
  const { token, signedIn } = site.entrance;
  return { port, url: `http://127.0.0.1:${port}${SIGN_IN_PATH}#${token}`, signedIn, use, close };
}

async function webRoot(folder: string): Promise<string> {
  try {
    const root = await realpath(folder);
    await realpath(join(root, 'index.html'));
    return root;
  } catch (error) {
    throw new TriadError('conflict', 'The app is not built: run "npm run build" first', { cause: error });
  }
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
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

async function answer(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refused = refusal(request, site.hosts, 'page');
  if (refused !== null) return plain(response, refused.status, `${refused.text}\n`);
  await serveFile(site.root, request, response);
}

function plain(response: ServerResponse, status: number, text: string): void {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  };
  response.writeHead(status, { ...securityHeaders(null), ...headers });
  response.end(text);
}

function upgrade(site: Site, sockets: WebSocketServer, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  // Until `ws` takes it over, nobody else listens for the errors of this socket.
  const ignore = () => socket.destroy();
  socket.on('error', ignore);
  const refused = refusal(request, site.hosts, 'socket');
  const status = refused?.status ?? (request.url !== '/ws' ? 404 : site.client === null ? 503 : null);
  if (status !== null) {
    socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    return;
  }
  sockets.handleUpgrade(request, socket, head, (connection) => {
    socket.off('error', ignore);
    // `refusal` asks for one that is ours.
    const origin = request.headers.origin?.toLowerCase() ?? '';
    const admit = () => {
      if (site.client === null) connection.close(CLOSE.restart, 'service restart');
      else attachSocket(connection, site.client, site.report);
    };
    site.entrance.receive({ socket: connection, stream: socket, origin, admit });
  });
}

async function shut(site: Site, server: Server, sockets: WebSocketServer): Promise<void> {
  site.entrance.close();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const connection of sockets.clients) connection.close(CLOSE.goingAway, 'Triad stops');
  const timer = setTimeout(() => {
    for (const connection of sockets.clients) connection.terminate();
  }, CLOSE_GRACE_MS);
  server.closeAllConnections();
  await closed;
  clearTimeout(timer);
}
