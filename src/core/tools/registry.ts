/** The tools of the program by name, and what the model is told of them. */
import { z } from 'zod';
import type { Permission } from '#contract/agent.ts';
import type { ToolSpec } from '../model/model.ts';
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

  /** What a model is told; in order of name, so that the same tools always make the same request (and hit its cache). */
  specs(
    tools: readonly Tool[],
    agents: readonly { name: string; description: string }[],
    maxSubAgents: number,
  ): ToolSpec[] {
    return tools
      .map((tool) => ({
        name: tool.name,
        description: tool.describe(agents, maxSubAgents),
        inputSchema: schemaOf(tool, maxSubAgents),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Of tools whose schema depends on the number of sub-agents: by that number. */
const madeFor = new WeakMap<Tool, Map<number, Record<string, unknown>>>();

function schemaOf(tool: Tool, maxSubAgents: number): Record<string, unknown> {
  if (tool.schema) return tool.schema;
  if (!tool.inputFor) return jsonSchemaOf(tool.input);
  const known = madeFor.get(tool) ?? new Map<number, Record<string, unknown>>();
  madeFor.set(tool, known);
  const found = known.get(maxSubAgents) ?? jsonSchemaOf(tool.inputFor(maxSubAgents));
  known.set(maxSubAgents, found);
  return found;
}

/** Made once for each schema, however many registries have the tool. */
const made = new WeakMap<z.ZodType, Record<string, unknown>>();

function jsonSchemaOf(input: z.ZodType): Record<string, unknown> {
  const known = made.get(input);
  if (known) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', reused: 'inline', unrepresentable: 'any' });
  made.set(input, schema);
  return schema;
}
