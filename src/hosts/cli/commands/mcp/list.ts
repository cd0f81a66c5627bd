/** `triad mcp list` and `triad mcp show`: the servers of a folder as they are written and as they were last heard. */
import type { McpServerView } from '#contract/mcp/mcp-methods.ts';
import type { Client } from '#contract/rpc.ts';
import { nearest } from '#core/base/nearest.ts';
import { needsAgreement, serverFacts, serverTable, toolLines } from '../../render/mcp-text.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';

export interface InFolder {
  folder: string;
  json?: boolean;
}

export async function listServers({ screen }: Io, client: Client, { folder, json }: InFolder): Promise<void> {
  const servers = await client.request('mcp.list', { folder });
  if (json) return screen.data(`${JSON.stringify(servers, null, 2)}\n`);
  if (servers.length === 0)
    return screen.note('There are no MCP servers here: "triad mcp add NAME -- COMMAND" adds one of yours.');
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

export async function showServer(
  { screen }: Io,
  client: Client,
  name: string,
  { folder, json }: InFolder,
): Promise<void> {
  const server = await serverNamed(client, folder, name);
  if (json) return screen.data(`${JSON.stringify(server, null, 2)}\n`);
  for (const [key, value] of serverFacts(server)) screen.data(`${key.padEnd(14)}${visible(value)}\n`);
  if (server.tools.length > 0) screen.data('\n');
  for (const line of toolLines(server.tools, Infinity)) screen.data(`${line}\n`);
}

/** The one that is used under a name, or would be. */
export async function serverNamed(client: Client, folder: string, name: string): Promise<McpServerView> {
  const servers = await client.request('mcp.list', { folder });
  const found = servers.find((server) => server.name === name && server.state !== 'overridden');
  if (found) return found;
  const names = servers.map((server) => server.name);
  const near = nearest(name, names);
  const hint = near === null ? ': see "triad mcp list"' : ` (did you mean ${near}?)`;
  throw new UsageError(`There is no MCP server "${name}" here${hint}`);
}
