/** `triad mcp logout`: deletes the stored sign-in of a server. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { dir, serverArgument } from '../parameters.ts';

export function addMcpLogout(mcp: Command, io: Io): void {
  mcp
    .command('logout')
    .description('sign out of a remote server, and delete the stored sign-in')
    .addArgument(serverArgument())
    .addOption(dir())
    .action((name: string, { dir = '.' }: { dir?: string }) =>
      withClient(io, async (client) => {
        await client.request('mcp.logout', { folder: resolve(io.folder, dir), name });
        io.screen.note(`Signed out of ${name}: what signing in gave is forgotten.`);
      }),
    );
}
