/** `triad mcp accept`: the person agrees to what a server says of its tools now. */
import type { Client } from '#contract/rpc.ts';
import { nearest } from '#core/base/nearest.ts';
import { changeLines, needsAgreement } from '../../render/mcp-text.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { type InFolder, serverNamed } from './list.ts';

/** `tools`: by the server's own names or by those that agents use; none: all that changed or are new. */
export async function acceptTools(
  { screen }: Io,
  client: Client,
  { name, tools }: { name: string; tools: readonly string[] },
  { folder, json }: InFolder,
): Promise<void> {
  const server = await serverNamed(client, folder, name);
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
  // Printed before it is agreed to, and exactly that is agreed to.
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
