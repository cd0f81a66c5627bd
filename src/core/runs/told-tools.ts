/** The tools of which a request tells the model, and who does what each of them does. */
import type { ToolSpec } from '../model/model.ts';
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
