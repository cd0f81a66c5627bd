/** `triad mcp login`: signs in to a server at an address. */
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { dataText } from '../../terminal/screen.ts';
import { dir, serverArgument } from '../parameters.ts';
import { findServer } from './find-server.ts';

interface Options {
  dir?: string;
}

export function addMcpLogin(mcp: Command, io: Io): void {
  mcp
    .command('login')
    .description('sign in to a remote server: print the URL to open, and wait for the sign-in')
    .addArgument(serverArgument())
    .addOption(dir())
    .action((name: string, options: Options) => withClient(io, (client) => logIn(io, client, name, options)));
}

const LOOK_AGAIN_MS = 500;
/** Maximum wait for the sign-in, in milliseconds; the same as in the process that receives the answer. */
const PATIENCE_MS = 300_000;

/** Prints the URL, and waits. The answer arrives in the owner of the data folder, which runs as long as this waits. */
async function logIn(io: Io, client: Client, name: string, { dir = '.' }: Options): Promise<void> {
  const { screen, signal } = io;
  const folder = resolve(io.folder, dir);
  const isIn = async (): Promise<boolean> => (await findServer(client, folder, name)).signIn === 'in';
  if (await isIn())
    return screen.note(`You are signed in to ${name}. To sign in anew: "triad mcp logout ${name}" first.`);
  const { url } = await client.request('mcp.login', { folder, name });
  screen.note('Open this in your browser, and sign in there; Ctrl-C ends the waiting:');
  screen.data(`${dataText(screen, url)}\n`);
  const end = performance.now() + PATIENCE_MS;
  while (!(await isIn())) {
    if (performance.now() > end)
      throw new Error(`Nobody has signed in to ${name}: "triad mcp login ${name}" begins anew`);
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
  screen.note(`Signed in to ${name}.`);
}
