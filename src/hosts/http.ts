/** The browser host: the built app for anybody on 127.0.0.1, and one WebSocket for each tab of a browser that is let in. */
import { realpath } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { CLEAR_PATH, SIGN_IN_PATH } from '#contract/entry.ts';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import type { BrowserKeys } from '#core/host/ownership/browser-keys.ts';
import { createLabel } from '#core/host/ownership/page-origin.ts';
import { attachSocket, CLOSE, MAX_FRAME_BYTES } from '#core/host/ownership/web-socket.ts';
import { securityHeaders } from '#core/host/ownership/site/headers.ts';
import { Entrance } from './http/entrance.ts';
import { listAppHosts, refusal } from './http/guard.ts';
import { listenOnFreePort, listenOnLoopback } from './http/listen.ts';
import { buildSignInPage, buildClearingHeaders, type SignInPage } from './http/sign-in-page.ts';
import { serveFile } from './http/static-files.ts';

const CLOSE_GRACE_MS = 500;

export interface ServeOptions {
  /** 0 takes any free port. */
  port: number;
  /** First label of the page's host name below `localhost`; without one, the page is at `127.0.0.1`. */
  label?: string | null;
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
  /** Origin of the app, without a token. */
  readonly origin: string;
  /** URL of the sign-in page, with the one-time token. */
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
  /** Origin of the page of the printed URL. */
  signInOrigin: string;
  signInPage: SignInPage;
  /** Returns whether another program may have served the app's origin. Clearing also deletes drafts and keys there. */
  mustClear: () => Promise<boolean>;
  report: (line: string) => void;
}

/** Rejects if the app is not built, the port is taken, or other users may write the keys of browsers. */
export async function serve(client: Client | null, options: ServeOptions): Promise<WebServer> {
  const { signal, report, keys, patienceMs, label = null } = options;
  signal.throwIfAborted();
  await keys.check();
  const root = await webRoot(options.webRoot);
  const { port, servers } = await listenOnLoopback(options.port);
  const host = label === null ? '127.0.0.1' : `${label}.localhost`;
  const origin = formatOrigin(host, port);
  const signInOrigin = await openSignInOrigin(label, port, servers);
  const entrance = new Entrance({ keys, report, ...(patienceMs === undefined ? {} : { patienceMs }) });
  const hosts = listAppHosts(port, host);
  const signInPage = buildSignInPage(origin);
  // No other program knows a random host name at which browsers have signed in.
  const mustClear = async () => label === null || !(await keys.hasKeyAt(origin));
  const site: Site = { client, root, report, entrance, hosts, signInOrigin, signInPage, mustClear };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  });

  for (const server of servers) {
    server.on('request', (request, response) => {
      answer(site, request, response).catch((error: unknown) => {
        // A tab that left before the answer is not reported.
        if (!response.destroyed) report(`http: ${String(error)}`);
        response.destroy();
      });
    });
    server.on('upgrade', (request, socket, head) => upgrade(site, sockets, request, socket, head));
    server.on('clientError', (_error, socket) => socket.destroy());
  }

  let closing: Promise<void> | null = null;
  const close = () => (closing ??= shut(site, servers, sockets));
  signal.addEventListener('abort', () => void close(), { once: true });
  const use = (next: Client | null) => {
    site.client = next;
    for (const connection of sockets.clients) connection.close(CLOSE.restart, 'service restart');
  };
  const { token, signedIn } = entrance;
  return { port, origin, url: `${signInOrigin}${SIGN_IN_PATH}#${token}`, signedIn, use, close };
}

/**
 * Opens an origin of the same site that is new with each start. Another program may have served the app's own origin
 * before, and its service worker would see the token.
 */
async function openSignInOrigin(label: string | null, port: number, servers: Server[]): Promise<string> {
  if (label !== null) return formatOrigin(`${createLabel()}.${label}.localhost`, port);
  const { port: signInPort, server } = await listenOnFreePort();
  servers.push(server);
  return formatOrigin('127.0.0.1', signInPort);
}

/** Returns an origin, without port 80, as browsers do. */
function formatOrigin(host: string, port: number): string {
  return new URL(`http://${host}:${port}`).origin;
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

async function answer(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { signInOrigin, signInPage } = site;
  const { host, origin } = request.headers;
  if (`http://${host?.toLowerCase()}` === signInOrigin) {
    if (request.method !== 'GET' || request.url !== SIGN_IN_PATH) return plain(response, 404, 'Not found.\n');
    response.writeHead(200, signInPage.headers);
    response.end(signInPage.html);
    return;
  }
  const refused = refusal(request, site.hosts, 'page');
  if (refused !== null) return plain(response, refused.status, `${refused.text}\n`);
  if (request.url === CLEAR_PATH && origin === signInOrigin) {
    response.writeHead(
      200,
      buildClearingHeaders(signInOrigin, !site.entrance.isTokenSpent && (await site.mustClear())),
    );
    response.end();
    return;
  }
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

async function shut(site: Site, servers: readonly Server[], sockets: WebSocketServer): Promise<void> {
  site.entrance.close();
  const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
  for (const connection of sockets.clients) connection.close(CLOSE.goingAway, 'Triad stops');
  const timer = setTimeout(() => {
    for (const connection of sockets.clients) connection.terminate();
  }, CLOSE_GRACE_MS);
  for (const server of servers) server.closeAllConnections();
  await Promise.all(closed);
  clearTimeout(timer);
}
