/** `triad mcp accept`: stores that the person agrees to the current tools of a server. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { nearest } from '#core/base/nearest.ts';
import { withClient } from '../../follow/link.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { dir, json, serverArgument } from '../parameters.ts';
import { findServer } from './find-server.ts';

interface Options {
  dir?: string;
  json?: boolean;
}

export function addMcpAccept(mcp: Command, io: Io): void {
  mcp
    .command('accept')
    .description('agree to tools of a server that are new or have changed, after a look at each change')
    .addArgument(serverArgument())
    .argument('[tools...]', 'only these tools (default: all that are new or have changed)')
    .addOption(dir())
    .addOption(json())
    .action((name: string, tools: string[], options: Options) =>
      withClient(io, (client) => acceptTools(io, client, { name, tools }, options)),
    );
}

/** Accepts tools. `tools`: names of the server, or names that agents use; empty: all that are new or changed. */
async function acceptTools(
  io: Io,
  client: Client,
  { name, tools }: { name: string; tools: readonly string[] },
  { dir = '.', json }: Options,
): Promise<void> {
  const { changeLines, needsAgreement } = await import('../../render/mcp-text.ts');
  const { screen } = io;
  const folder = resolve(io.folder, dir);
  const server = await findServer(client, folder, name);
  for (const word of tools) {
    if (server.tools.some((tool) => tool.tool === word || tool.name === word)) continue;
    const near = nearest(
      word,
      server.tools.map(({ tool }) => tool),
    );
    const hint = near === null ? `: see "triad mcp show ${name}"` : ` (did you mean ${near}?)`;
    throw new UsageError(`The MCP server ${name} has no tool "${visible(word)}"${hint}`);
  }
  const isMeant = (tool: { tool: string; name: string }): boolean =>
    tools.length === 0 || tools.includes(tool.tool) || tools.includes(tool.name);
  const open = server.tools.filter((tool) => needsAgreement(tool) && isMeant(tool));
  // Accepts exactly the printed changes.
  if (!json) for (const tool of open) for (const line of changeLines(tool)) screen.data(`${line}\n`);
  const now =
    open.length === 0
      ? server
      : await client.request('mcp.accept', { folder, name, tools: open.map(({ tool, hash }) => ({ tool, hash })) });
  if (json) return screen.data(`${JSON.stringify(now, null, 2)}\n`);
  const count = open.length === 1 ? '1 tool' : `${open.length} tools`;
  screen.note(
    open.length === 0
      ? `There is nothing to agree to: you know its tools as they are. What it offers now: "triad mcp test ${name}"`
      : `Agreed: ${count} of ${name} as shown. What you allowed of them holds again.`,
  );
}
