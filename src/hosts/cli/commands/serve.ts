/** `triad serve`: serves the app to a browser on this machine, until it is stopped. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { BrowserKeys } from '#core/host/ownership/browser-keys.ts';
import type { Connected } from '#core/host/ownership/connect-or-own.ts';
import { folders } from '#core/settings/folders.ts';
import type { WebServer } from '../../http.ts';
import { aborted, type Link, openLink, ownerGone } from '../follow/link.ts';
import { EXIT, hasCode, Interruption, lineOf } from '../terminal/failure.ts';
import type { Exit, Io } from '../terminal/io.ts';

interface Options {
  port?: number;
  open?: boolean;
  signOut?: boolean;
}

export function addServe(program: Command, io: Io, exit: Exit): void {
  program
    .command('serve')
    .description('serve the app to a browser on this machine, and print its URL')
    .option('--port <number>', 'port to listen on (0: any free port)', parsePort)
    .option('--open', 'open the browser')
    .addOption(new Option('--sign-out', 'sign out all browsers, and serve nothing').conflicts(['port', 'open']))
    .action(async (options: Options) => exit(await (options.signOut ? signOut(io) : serveApp(io, options))));
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}

/** Default port with a random host name. A fixed port keeps the origin of the page between two starts. */
const DEFAULT_PORT = 7423;

export async function serveApp(io: Io, options: Pick<Options, 'port' | 'open'>): Promise<number> {
  const { screen, signal } = io;
  const link = await openLink(io, true);
  try {
    const server = await listen(io, link.current, options.port);
    screen.data(`${server.url}\n`);
    screen.note('Triad serves this machine only. The URL works once; stop with Ctrl-C.');
    screen.note(`A browser that is signed in opens ${server.origin}`);
    const forget = options.open ? await openInBrowser(io, server) : null;
    if (options.open && forget === null) screen.note('No browser was opened here: open the URL above in one.');
    try {
      await serveOn(io, link, server);
    } finally {
      await forget?.();
      await server.close();
    }
  } finally {
    await link.close();
  }
  const { owner, lost } = link.current;
  if (owner && lost.aborted) throw lost.reason;
  return signal.reason instanceof Interruption ? signal.reason.exitCode : EXIT.ok;
}

async function openInBrowser({ env }: Io, server: WebServer): Promise<(() => Promise<void>) | null> {
  const { openBrowser } = await import('../../http/open-browser.ts');
  return openBrowser(server, (await folders(env)).data, env);
}

/** Whether or not a program serves at the moment: one that does sends the tabs of these browsers away. */
async function signOut(io: Io): Promise<number> {
  const count = await (await keysOf(io)).signOut();
  const browsers =
    count === 0 ? 'No browser was signed in' : `${count} ${count === 1 ? 'browser' : 'browsers'} signed out`;
  io.screen.data(`${browsers}. A new sign-in needs the URL that "triad serve" prints when it is started.\n`);
  return EXIT.ok;
}

async function keysOf({ env }: Io): Promise<BrowserKeys> {
  const { BrowserKeys } = await import('#core/host/ownership/browser-keys.ts');
  return new BrowserKeys((await folders(env)).data);
}

/** Until it is stopped, or the history cannot be written any more; tabs outlive the process that does the work. */
async function serveOn({ screen, signal }: Io, link: Link, server: WebServer): Promise<void> {
  const { noteDiskFull } = await import('../follow/disk-full-note.ts');
  for (;;) {
    const { client, lost } = link.current;
    const endNotes = await noteDiskFull(client, screen);
    await aborted(AbortSignal.any([signal, lost]));
    endNotes();
    if (signal.aborted || !ownerGone(link.current)) return;
    server.use(null);
    await link.again();
    server.use(link.current.client);
    screen.note(`${lineOf(lost.reason)}: ${link.current.owner ? 'this one does it now' : 'another one does it now'}.`);
  }
}

/**
 * Listens on `port`, on the default port or on the stored one. At `127.0.0.1` the stored port is random, because another
 * program may have served the default port before.
 */
async function listen(io: Io, connected: Connected, port: number | undefined): Promise<WebServer> {
  const { loadPageOrigin, resolvesLocalNames, storePageOrigin } = await import('#core/host/ownership/page-origin.ts');
  const { serve } = await import('../../http.ts');
  const { signal } = io;
  const report = (line: string) => io.screen.note(line);
  const { data } = await folders(io.env);
  const keys = await keysOf(io);
  const origin = await loadPageOrigin(data);
  const label = (await resolvesLocalNames()) ? origin.label : null;
  const serveOn = (chosen: number) =>
    serve(connected.client, { port: chosen, label, webRoot: io.webRoot, signal, report, keys });
  if (port !== undefined) return serveOn(port);
  const preferred = label === null ? (origin.port ?? 0) : DEFAULT_PORT;
  const server = await serveOn(preferred).catch((error: unknown) => {
    if (!hasCode(error, 'conflict') || preferred === 0) throw error;
    return serveOn(0);
  });
  if (preferred !== 0 && server.port !== preferred)
    io.screen.note(
      `Port ${preferred} is in use, perhaps by another "triad serve": Triad uses port ${server.port}, where browsers must sign in again.`,
    );
  if (label === null && server.port !== origin.port) await storePageOrigin(data, { ...origin, port: server.port });
  return server;
}
