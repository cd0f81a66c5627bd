/** What of the MCP servers at hand an agent gets: what it names, or all of its lead's, and never more. */
import type { AgentDefinition, Envelope, McpOffer } from '#contract/agent.ts';
import { mcpServerOf, withMcpTools } from '#core/agents/mcp-names.ts';
import { TriadError } from '#core/base/errors.ts';

type Naming = Pick<AgentDefinition, 'tools' | 'mcpServers' | 'lenient'>;

/**
 * Of the available tools those that are named, or all where none are; those of other servers than the named ones are no
 * part of all. `lacks`: what another program's file names, and is not `there` at all. Throws `not_allowed` for a server that
 * is not at hand. `whose`: who has the others, at the beginning of a sentence.
 */
export function wantedTools(
  { tools, mcpServers, lenient }: Naming,
  available: readonly string[],
  { there, offers, whose }: { there: readonly string[]; offers: readonly McpOffer[]; whose: string },
): { tools: string[]; lacks: string[] } {
  if (mcpServers !== null) refuseMissing(mcpServers, offers, whose);
  if (tools === null) {
    const isWanted = (name: string): boolean => {
      const offer = offers.find((one) => one.tools.some((tool) => tool.name === name));
      return offer === undefined || mcpServers === null || mcpServers.includes(offer.server);
    };
    return { tools: available.filter(isWanted), lacks: [] };
  }
  const ofServers = offers.filter(({ server }) => mcpServers?.includes(server)).flatMap((offer) => offer.tools);
  const allowed = ofServers.map(({ name }) => name).filter((name) => available.includes(name));
  const named = [...new Set([...withMcpTools(tools, available), ...allowed])];
  const lacks = lenient ? named.filter((name) => !there.includes(name)) : [];
  return { tools: named.filter((name) => !lacks.includes(name)), lacks };
}

/** The servers of these tools, each with those of its tools that are among them; left out where there are none. */
export function mcpOf(offers: readonly McpOffer[], tools: readonly string[]): Pick<Envelope, 'mcp' | 'mcpServers'> {
  const mcp = offers
    .map((offer) => ({ ...offer, tools: offer.tools.filter(({ name }) => tools.includes(name)) }))
    .filter((offer) => offer.tools.length > 0);
  const mcpServers = mcp.map(({ server }) => server).sort();
  return mcp.length === 0 ? { mcpServers } : { mcp, mcpServers };
}

/** The end of a sentence about tools that are not there: which servers nobody has set up. */
export function missingServers(missing: readonly string[], offers: readonly McpOffer[]): string {
  const servers = new Set(missing.flatMap((name) => mcpServerOf(name) ?? []));
  const absent = [...servers].filter((server) => offers.every((offer) => offer.server !== server));
  if (absent.length === 0) return '';
  return `. No MCP server ${absent.map((one) => `"${one}"`).join(', ')} can be used here: "triad mcp list" says why, "triad mcp add" sets one up`;
}

function refuseMissing(names: readonly string[], offers: readonly McpOffer[], whose: string): void {
  const missing = names.filter((name) => offers.every(({ server }) => server !== name));
  if (missing.length === 0) return;
  const has = offers.map(({ server }) => server).join(', ') || 'none';
  throw new TriadError('not_allowed', `MCP servers that it cannot have: ${missing.join(', ')}. ${whose} has: ${has}`);
}
