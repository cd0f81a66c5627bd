/** Selects the tools that a request declares, and whether the program or the provider executes each of them. */
import { CHARS_OF_TOKEN } from '#contract/context/estimate.ts';
import { MAX_ADDED_TOOL_TOKENS } from '#contract/limits.ts';
import { mcpServerOf } from '../agents/mcp-names.ts';
import { sizeOfTool } from './loop/request-meter.ts';
import type { ToolSpec } from '../model/model.ts';
import { isAgentTool } from '../tools/agents/agent-tool.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { Setup, Tool } from '../tools/tool.ts';
import { type Asker, mayBeAllowed, isAllowedUnasked } from './tool-verdicts.ts';

/** Returns the declarations for a request, without tools that neither the program nor the provider can execute now. */
export async function specsOf(
  registry: ToolRegistry,
  tools: readonly Tool[],
  asker: Asker,
  { setup, maxSubAgents }: { setup: Setup; maxSubAgents: number },
): Promise<ToolSpec[]> {
  const servers = await findServerTools(tools, setup, asker);
  const known = tools.filter(({ name }) => servers.has(name));
  return registry.specs(known, maxSubAgents).map((spec) => {
    const server = servers.get(spec.name) ?? null;
    return server === null ? spec : { ...spec, server };
  });
}

/**
 * Excludes the tools that start sub-agents if no person, rule, grant or mode could allow a call. A model may still call
 * one, because its history has such calls. That call gets a result like any other.
 */
export async function usableTools(tools: readonly Tool[], asker: Asker): Promise<Tool[]> {
  const kept = await Promise.all(tools.map(async (tool) => !tool.startsAgents || mayBeAllowed(asker, tool)));
  return tools.filter((_, index) => kept[index]);
}

/**
 * Returns by tool name the declaration of the provider's own tool, or null if the program executes the tool. The provider
 * executes it only if rules and settings allow every call without a question. Excludes a tool that neither can execute.
 */
async function findServerTools(
  tools: readonly Tool[],
  setup: Setup,
  asker: Asker,
): Promise<Map<string, ToolSpec['server'] | null>> {
  const alone = { ...setup, providerSearches: false };
  const servers = new Map<string, ToolSpec['server'] | null>();
  for (const tool of tools) {
    const server = tool.byProvider?.(setup) ?? null;
    if (server !== null && (await isAllowedUnasked(asker, tool))) servers.set(tool.name, server);
    else if ((tool.missing?.(alone) ?? null) === null) servers.set(tool.name, null);
  }
  return servers;
}

/** Tools of one MCP server, or of the agents, that a request leaves out because of their size. */
interface UnsentTools {
  /** Name of the MCP server; null for tools of agents. */
  server: string | null;
  unsent: number;
  total: number;
}

/**
 * Selects the tools that a request has room for: all tools of the program, then those of MCP servers and agents up to a
 * bound of tokens. Small servers come first, so a large one displaces none of them. Equal tools give an equal selection.
 */
export function selectSentTools(specs: readonly ToolSpec[]): { names: Set<string>; unsent: UnsentTools[] } {
  const isAdded = ({ name }: ToolSpec): boolean => isAgentTool(name) || mcpServerOf(name) !== null;
  const names = new Set(specs.filter((spec) => !isAdded(spec)).map(({ name }) => name));
  const groups = [...Map.groupBy(specs.filter(isAdded), ({ name }) => (isAgentTool(name) ? null : mcpServerOf(name)))]
    .map(([server, tools]) => ({ server, tools, size: tools.reduce((sum, tool) => sum + sizeOfTool(tool), 0) }))
    .sort((a, b) => a.size - b.size);
  let remainingChars = MAX_ADDED_TOOL_TOKENS * CHARS_OF_TOKEN;
  const unsent: UnsentTools[] = [];
  for (const { server, tools } of groups) {
    const total = tools.length;
    let sentCount = 0;
    for (const tool of tools) {
      if (sizeOfTool(tool) > remainingChars) continue;
      remainingChars -= sizeOfTool(tool);
      names.add(tool.name);
      sentCount += 1;
    }
    if (sentCount < total) unsent.push({ server, unsent: total - sentCount, total });
  }
  return { names, unsent };
}

/** Returns the notice about tools that are left out. */
export function describeUnsentTools({ server, unsent, total }: UnsentTools): string {
  const count = `${unsent.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`;
  if (server === null)
    return `${count} tools for single agents are not sent to the model: together they are too long. The lead can start these agents by name`;
  return `${count} tools of the MCP server ${server} are not sent to the model: together they are too long. Name the tools that you need in "tools" of the server, or in an agent file`;
}
