/** How every sentence about a server begins. */
export const serverWords = (name: string): string => `The MCP server "${name}"`;
