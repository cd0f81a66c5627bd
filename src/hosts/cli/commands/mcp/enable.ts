/** `triad mcp enable`: enables a disabled server of the person. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { dir, json, serverArgument } from '../parameters.ts';
import { requireOwnServer } from './find-server.ts';

export interface EnableOptions {
  dir?: string;
  json?: boolean;
}

export function addMcpEnable(mcp: Command, io: Io): void {
  mcp
    .command('enable')
    .description('enable a server that was disabled')
    .addArgument(serverArgument())
    .addOption(dir())
    .addOption(json())
    .action((name: string, options: EnableOptions) => enableServer(io, { name, enabled: true }, options));
}

/** Enables or disables a server of the person. */
export function enableServer(
  io: Io,
  { name, enabled }: { name: string; enabled: boolean },
  { dir = '.', json }: EnableOptions,
): Promise<void> {
  return withClient(io, async (client) => {
    await requireOwnServer(client, resolve(io.folder, dir), name, `write "enabled": ${enabled} there`);
    const server = await client.request('mcp.enable', { name, enabled });
    if (json) return io.screen.data(`${JSON.stringify(server, null, 2)}\n`);
    io.screen.note(`${name} is ${enabled ? 'used' : 'not started any more'} from now on.`);
  });
}
