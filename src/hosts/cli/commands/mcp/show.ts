/** `triad mcp show`: prints the configuration and the last known state of a server, without starting it. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { dir, json, serverArgument } from '../parameters.ts';
import { findServer } from './find-server.ts';

interface Options {
  dir?: string;
  json?: boolean;
}

export function addMcpShow(mcp: Command, io: Io): void {
  mcp
    .command('show')
    .description('print the configuration of a server and everything that it offers; starts nothing')
    .addArgument(serverArgument())
    .addOption(dir())
    .addOption(json())
    .action((name: string, options: Options) => withClient(io, (client) => showServer(io, client, name, options)));
}

async function showServer({ screen, folder }: Io, client: Client, name: string, options: Options): Promise<void> {
  const server = await findServer(client, resolve(folder, options.dir ?? '.'), name);
  if (options.json) return screen.data(`${JSON.stringify(server, null, 2)}\n`);
  const { serverFacts, toolLines } = await import('../../render/mcp-text.ts');
  for (const [key, value] of serverFacts(server)) screen.data(`${key.padEnd(14)}${visible(value)}\n`);
  if (server.tools.length > 0) screen.data('\n');
  for (const line of toolLines(server.tools, Infinity)) screen.data(`${line}\n`);
}
