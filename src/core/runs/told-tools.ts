/** The tools of which a request tells the model, and who does what each of them does. */
import { CHARS_OF_TOKEN } from '#contract/context/estimate.ts';
import { MAX_ADDED_TOOL_TOKENS } from '#contract/limits.ts';
import { mcpServerOf } from '../agents/mcp-names.ts';
import { sizeOfTool } from '../loop/request-meter.ts';
import type { ToolSpec } from '../model/model.ts';
import { isAgentTool } from '../tools/agents/agent-tool.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { Setup, Tool } from '../tools/tool.ts';
import type { ToolQuestions } from './questions.ts';

/** As a request has them, without those that nobody can do now. */
export async function specsOf(
  registry: ToolRegistry,
  tools: readonly Tool[],
  questions: ToolQuestions,
  { setup, maxSubAgents }: { setup: Setup; maxSubAgents: number },
): Promise<ToolSpec[]> {
  const ways = await waysOf(tools, setup, questions);
  const known = ways.map(({ tool }) => tool);
  return registry.specs(known, maxSubAgents).map((spec) => {
    const server = ways.find(({ tool }) => tool.name === spec.name)?.server ?? null;
    return server === null ? spec : { ...spec, server };
  });
}

/**
 * Without the tools that start sub-agents where nobody and nothing could say yes. A model that calls one all the same,
 * because its history has calls of it, is answered as ever.
 */
export async function toldOf(tools: readonly Tool[], { mayBeAllowed }: ToolQuestions): Promise<Tool[]> {
  const kept = await Promise.all(tools.map(async (tool) => !tool.startsAgents || mayBeAllowed(tool)));
  return tools.filter((_, index) => kept[index]);
}

/**
 * Who does what each tool does, as rules and settings are now: the provider, where every call is allowed unasked, or the
 * program. What neither can is left out.
 */
async function waysOf(
  tools: readonly Tool[],
  setup: Setup,
  { needsNobody }: ToolQuestions,
): Promise<{ tool: Tool; server: ToolSpec['server'] | null }[]> {
  const alone = { ...setup, providerSearches: false };
  const ways = tools.map(async (tool) => {
    const server = tool.byProvider?.(setup) ?? null;
    if (server !== null && (await needsNobody(tool))) return [{ tool, server }];
    return (tool.missing?.(alone) ?? null) === null ? [{ tool, server: null }] : [];
  });
  return (await Promise.all(ways)).flat();
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
