/** What a run is offered of a server: of each tool what the person knows, in the names that models take. */
import type { McpOffer, McpTool } from '#contract/agent.ts';
import { mcpToolName } from '../agents/mcp-names.ts';
import type { ConfiguredServer } from './configured.ts';
import type { Listing } from './listings.ts';

/** What is offered of the resources of a server that has some. */
const RESOURCES = 'read_resource';

/** Of each tool what the person last agreed to; what the server says since is shown with the first call. */
export function offerOf(server: ConfiguredServer, { tools, known, resources }: Listing): McpOffer {
  const { name, runs, config, offers, permissionsOf } = server;
  const named = tools
    .filter((tool) => offers(tool.name) && Object.hasOwn(known, tool.name))
    .map((tool): McpTool => {
      const { description, inputSchema, title } = known[tool.name]!;
      return {
        name: mcpToolName(name, tool.name),
        tool: tool.name,
        description: description || title || tool.name,
        inputSchema,
        permissions: [...permissionsOf(tool.name)].sort(),
      };
    });
  const taken = new Set(named.map((tool) => tool.name));
  const reading = resourceTool(name, permissionsOf(RESOURCES));
  const all = [...named, ...(resources && !taken.has(reading.name) ? [reading] : [])];
  return { server: name, runs, config, tools: all.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function resourceTool(server: string, permissions: readonly McpTool['permissions'][number][]): McpTool {
  return {
    name: mcpToolName(server, RESOURCES),
    tool: null,
    description: `Reads a resource of the MCP server ${server} by its URI; without one, lists its resources and the templates of their URIs.`,
    inputSchema: {
      type: 'object',
      properties: { uri: { type: 'string', description: 'The URI of the resource. Left out: the list.' } },
      additionalProperties: false,
    },
    permissions: [...permissions].sort(),
  };
}

/** The tools that a server has and the person never agreed to: no run gets them. */
export function unknownTools({ offers }: ConfiguredServer, { tools, known }: Listing): string[] {
  return tools.map(({ name }) => name).filter((name) => offers(name) && !Object.hasOwn(known, name));
}
