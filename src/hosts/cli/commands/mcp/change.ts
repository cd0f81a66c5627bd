/** `triad mcp remove`, `enable` and `disable`: changes of the person's own servers. */
import type { Client } from '#contract/rpc.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { type InFolder, serverNamed } from './list.ts';

export async function removeServer({ screen }: Io, client: Client, name: string, { folder }: InFolder): Promise<void> {
  await mustBeOwn(client, folder, name, 'remove it there');
  await client.request('mcp.remove', { name });
  screen.note(`${name} is no longer in your settings, and its secrets are forgotten.`);
}

export async function enableServer(
  { screen }: Io,
  client: Client,
  { name, enabled }: { name: string; enabled: boolean },
  { folder, json }: InFolder,
): Promise<void> {
  await mustBeOwn(client, folder, name, `write "enabled": ${enabled} there`);
  const server = await client.request('mcp.enable', { name, enabled });
  if (json) return screen.data(`${JSON.stringify(server, null, 2)}\n`);
  screen.note(`${name} is ${enabled ? 'used' : 'not started any more'} from now on.`);
}

async function mustBeOwn(client: Client, folder: string, name: string, remedy: string): Promise<void> {
  const { source, file } = await serverNamed(client, folder, name);
  if (source === 'project') throw new UsageError(`${name} stands in ${visible(file)}, not in your settings: ${remedy}`);
}
