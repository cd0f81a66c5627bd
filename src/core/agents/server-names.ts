/** What a definition names of MCP servers: a tool, some tools, or a server as a whole. */
import type { Position } from './entries.ts';
import { mcpServerOf } from './mcp-names.ts';

/** A server, or a tool of one, as a file names it. */
export interface ServerMention {
  key: string;
  /** From 0, in a list of which the place of each item is known. */
  item: number | null;
  at: Position;
  server: string;
  /** `mcp__SERVER`, `mcp__SERVER__*` or the name of a tool; null where the server alone is named. */
  tool: string | null;
}

/** What a list of names has of servers. */
export function mentionsIn(
  key: string,
  names: readonly string[] | null | undefined,
  findPosition: (index: number) => { item: number | null; at: Position },
): ServerMention[] {
  return (names ?? []).flatMap((name, index): ServerMention[] => {
    const server = mcpServerOf(name);
    return server === null ? [] : [{ key, ...findPosition(index), server, tool: name }];
  });
}
