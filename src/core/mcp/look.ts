/** What a server says of a tool that a run wants to call, held against what the person knows of it. */
import type { McpOffer, McpTool } from '#contract/agent.ts';
import { mcpToolName } from '../agents/mcp-names.ts';
import { TriadError } from '../base/errors.ts';
import { type Described, type Listing, type Listings, lookOf, type ToolLook } from './listings.ts';
import type { McpAccess } from './mcp-tool.ts';

/** Throws `not_found` where the server has no such tool any more. */
export function lookIn(listing: Listing, { server }: McpOffer, tool: string): ToolLook {
  const described = listing.tools.find(({ name }) => name === tool);
  if (described) return lookOf(listing, described);
  const names = listing.tools.map(({ name }) => mcpToolName(server, name)).join(', ') || 'none';
  throw new TriadError('not_found', `The MCP server ${server} has no tool "${tool}" any more. It has: ${names}`);
}

/** Of a tool that is made here. */
export function ownLook({ name, description, inputSchema }: McpTool): ToolLook {
  const described: Described = { name, title: null, description, inputSchema };
  return lookOf({ known: { [name]: described } }, described);
}

/** As the servers were last heard: starts none, and calls none. */
export function keptAccess(listings: Listings): McpAccess {
  return {
    look: async (offer, tool) => {
      const listing = await listings.get(offer.config);
      return tool.tool === null || listing === null ? ownLook(tool) : lookIn(listing, offer, tool.tool);
    },
    call: () => Promise.reject(new TriadError('internal', 'No server is called here')),
  };
}
