/** `triad serve` and `triad app`: the app in a browser on this machine, until it is stopped. */
import { TriadError } from '#core/errors.ts';
import { type WebServer, serve } from '../http.ts';
import { openBrowser } from '../http/open-browser.ts';
import type { OpenedRuntime } from '../compose.ts';
import { EXIT, Interruption } from './failure.ts';
import type { Io } from './io.ts';

/** A port of our own keeps what the page stores between two starts. */
const USUAL_PORT = 7423;

export interface ServeCommandOptions {
  port?: number;
  open?: boolean;
}

export async function serveApp(io: Io, options: ServeCommandOptions): Promise<number> {
  const { screen, signal } = io;
  const opened = await io.openRuntime({ works: true });
  const stop = AbortSignal.any([signal, opened.failed]);
  try {
    const server = await listen(io, opened, options.port, stop);
    screen.data(`${server.url}\n`);
    screen.note('Triad serves this machine only. The URL works once; stop with Ctrl-C.');
    if (options.open) await openBrowser(server.url, io.env);
    if (!stop.aborted)
      await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
    await server.close();
  } finally {
    await opened.close();
  }
  if (opened.failed.aborted) throw opened.failed.reason;
  return signal.reason instanceof Interruption ? signal.reason.exitCode : EXIT.ok;
}

/** The desktop is not part of this version: the same app comes to the browser. */
export async function openApp(io: Io): Promise<number> {
  io.screen.note('No desktop runtime here: Electron is not part of this version; serving to the browser.');
  return serveApp(io, { open: true });
}

async function listen(
  io: Io,
  opened: OpenedRuntime,
  port: number | undefined,
  signal: AbortSignal,
): Promise<WebServer> {
  const report = (line: string) => io.screen.note(line);
  const secret = await opened.browserSecret();
  const on = (chosen: number) =>
    serve(opened.runtime, { port: chosen, webRoot: io.webRoot, signal, report, secret });
  try {
    return await on(port ?? USUAL_PORT);
  } catch (error) {
    const taken = error instanceof TriadError && error.code === 'conflict';
    if (!taken || port !== undefined) throw error;
    return on(0);
  }
}
