/** `triad mcp login` and `triad mcp logout`. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '#contract/rpc.ts';
import type { Io } from '../../terminal/io.ts';
import { dataText } from '../../terminal/screen.ts';
import { serverNamed } from './list.ts';

const LOOK_AGAIN_MS = 500;
/** As long as the answer is waited for where it comes. */
const PATIENCE_MS = 300_000;

/** Opens nothing by itself. The person's answer comes to the process that owns the data, which lives as long as this waits. */
export async function logIn(
  { screen, signal }: Io,
  client: Client,
  name: string,
  { folder }: { folder: string },
): Promise<void> {
  const isIn = async (): Promise<boolean> => (await serverNamed(client, folder, name)).signIn === 'in';
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

export async function logOut(
  { screen }: Io,
  client: Client,
  name: string,
  { folder }: { folder: string },
): Promise<void> {
  await client.request('mcp.logout', { folder, name });
  screen.note(`Signed out of ${name}: what signing in gave is forgotten.`);
}
