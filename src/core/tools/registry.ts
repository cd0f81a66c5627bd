/** The tools of the program by name, and their form in a request. */
import type { Permission } from '#contract/agent.ts';
import type { ToolSpec } from '../model/model.ts';
import { getSentSchema } from './input-schema.ts';
import type { Tool } from './tool.ts';

export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();

  constructor(tools: readonly Tool[]) {
    for (const tool of tools) this.#tools.set(tool.name, tool);
  }

  /** These and the tools of a run's MCP servers; none of those takes the place of one of these. */
  with(tools: readonly Tool[]): ToolRegistry {
    if (tools.length === 0) return this;
    return new ToolRegistry([...tools.filter(({ name }) => !this.#tools.has(name)), ...this.all()]);
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** Names in alphabetical order; `primary: false` leaves out the tools that only a lead has. */
  names(primary: boolean): string[] {
    return [...this.#tools.values()]
      .filter((tool) => primary || !tool.primaryOnly)
      .map((tool) => tool.name)
      .sort();
  }

  /** Whether the tool of this name, or the one that models know by it, starts sub-agents. */
  startsAgents(name: string): boolean {
    return this.all().some((tool) => tool.startsAgents && (tool.name === name || tool.knownAs?.includes(name)));
  }

  /** The named tools and the baseline; a name of a tool that does not exist is left out. */
  offered(names: readonly string[], primary: boolean): Tool[] {
    return [...this.#tools.values()].filter(
      (tool) => (tool.baseline || names.includes(tool.name)) && (primary || !tool.primaryOnly),
    );
  }

  /** The permissions that the named tools need, sorted, without repeats. */
  permissionsOf(names: readonly string[]): Permission[] {
    return [...new Set(names.flatMap((name) => this.#tools.get(name)?.permissions ?? []))].sort();
  }

  /** What every agent has; what every lead has beside it needs no mention. */
  baseline(): string[] {
    return [...this.#tools.values()].filter((tool) => tool.baseline && !tool.primaryOnly).map((tool) => tool.name);
  }

  /** All tools, in the order in which they were registered. */
  all(): readonly Tool[] {
    return [...this.#tools.values()];
  }

  /** Returns the tools as a request has them, sorted by name: equal tools give equal bytes, so the provider's cache stays valid. */
  specs(tools: readonly Tool[], maxSubAgents: number): ToolSpec[] {
    return tools
      .map((tool) => ({
        name: tool.name,
        description: tool.describe(maxSubAgents),
        inputSchema: getSentSchema(tool, maxSubAgents),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
