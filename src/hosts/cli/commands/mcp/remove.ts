/** `triad mcp remove`: removes a server from the person's settings. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { dir, serverArgument } from '../parameters.ts';
import { requireOwnServer } from './find-server.ts';

export function addMcpRemove(mcp: Command, io: Io): void {
  mcp
    .command('remove')
    .description('remove a server from your settings, and delete its secrets')
    .addArgument(serverArgument())
    .addOption(dir())
    .action((name: string, { dir = '.' }: { dir?: string }) =>
      withClient(io, async (client) => {
        await requireOwnServer(client, resolve(io.folder, dir), name, 'remove it there');
        await client.request('mcp.remove', { name });
        io.screen.note(`${name} is no longer in your settings, and its secrets are forgotten.`);
      }),
    );
}
