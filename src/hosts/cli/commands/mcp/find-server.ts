/** Finds the MCP server that a command names. */
import type { McpServerView } from '#contract/mcp/mcp-methods.ts';
import type { Client } from '#contract/rpc.ts';
import { nearest } from '#core/base/nearest.ts';
import { UsageError } from '../../terminal/failure.ts';
import { visible } from '../../terminal/visible.ts';

/** Returns the server with this name that is in effect, also a disabled one. */
export async function findServer(client: Client, folder: string, name: string): Promise<McpServerView> {
  const servers = await client.request('mcp.list', { folder });
  const found = servers.find((server) => server.name === name && server.state !== 'overridden');
  if (found) return found;
  const names = servers.map((server) => server.name);
  const near = nearest(name, names);
  const hint = near === null ? ': see "triad mcp list"' : ` (did you mean ${near}?)`;
  throw new UsageError(`There is no MCP server "${name}" here${hint}`);
}

/** Throws if the server belongs to the project. `remedy`: what the person can do in its file. */
export async function requireOwnServer(client: Client, folder: string, name: string, remedy: string): Promise<void> {
  const { source, file } = await findServer(client, folder, name);
  if (source === 'project') throw new UsageError(`${name} stands in ${visible(file)}, not in your settings: ${remedy}`);
}
