/** `triad mcp list`: lists the servers of a folder, with their configuration and their last known state. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { dir, json } from '../parameters.ts';

interface Options {
  dir?: string;
  json?: boolean;
}

export function addMcpList(mcp: Command, io: Io): void {
  mcp
    .command('list')
    .description('list your servers and those of the folder, with their state and the number of their tools')
    .addOption(dir())
    .addOption(json())
    .action((options: Options) => withClient(io, (client) => listServers(io, client, options)));
}

async function listServers({ screen, folder }: Io, client: Client, options: Options): Promise<void> {
  const servers = await client.request('mcp.list', { folder: resolve(folder, options.dir ?? '.') });
  if (options.json) return screen.data(`${JSON.stringify(servers, null, 2)}\n`);
  if (servers.length === 0)
    return screen.note('There are no MCP servers here: "triad mcp add NAME -- COMMAND" adds one of yours.');
  const { needsAgreement, serverTable } = await import('../../render/mcp-text.ts');
  for (const line of serverTable(servers, screen.width)) screen.data(`${line}\n`);
  for (const { name, file, fault } of servers.filter(({ state }) => state === 'faulty'))
    screen.note(`${visible(name)} cannot be used: ${visible(fault ?? '')} (${visible(file)})`);
  if (servers.some(({ state }) => state === 'untrusted'))
    screen.note('What a project starts must be trusted first: see "triad trust"');
  for (const { name, tools } of servers)
    if (tools.some(needsAgreement))
      screen.note(
        `Calls of what has changed are put to you, and no agent gets what is new: see "triad mcp accept ${name}"`,
      );
}
