/** What a call is called on the screen: a tool of an MCP server is told by its server and its own name. */

const MARK = 'mcp__';

/** The server and its tool in a name such as `mcp__everything__echo`; null for any other tool. */
export function mcpPartsOf(name: string): { server: string; tool: string } | null {
  if (!name.startsWith(MARK)) return null;
  // No server's name has two underscores in a row.
  const end = name.indexOf('__', MARK.length);
  const [server, tool] = [name.slice(MARK.length, end), name.slice(end + 2)];
  return end > MARK.length && tool !== '' ? { server, tool } : null;
}

/** `everything · echo`; other tools have the names that agents call them by. */
export function callTitle(name: string): string {
  const parts = mcpPartsOf(name);
  return parts === null ? name : `${parts.server} · ${parts.tool}`;
}

/** The name without that of the server. */
export function callTool(name: string): string {
  return mcpPartsOf(name)?.tool ?? name;
}
