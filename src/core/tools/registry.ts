/** The tools of the program by name, and what the model is told of them. */
import { z } from 'zod';
import type { Permission } from '#contract/agent.ts';
import type { ToolSpec } from '../model/model.ts';
import type { Tool } from './tool.ts';

export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();
  readonly #schemas = new Map<Tool, Record<string, unknown>>();

  constructor(tools: readonly Tool[]) {
    for (const tool of tools) this.#tools.set(tool.name, tool);
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

  /** Whether only a lead is offered the tool of this name, or the one that models know by it. */
  isPrimaryOnly(name: string): boolean {
    return this.all().some((tool) => tool.primaryOnly && (tool.name === name || tool.knownAs?.includes(name)));
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

  baseline(): string[] {
    return [...this.#tools.values()].filter((tool) => tool.baseline).map((tool) => tool.name);
  }

  /** All tools, in the order in which they were registered. */
  all(): readonly Tool[] {
    return [...this.#tools.values()];
  }

  /** What a model is told; in order of name, so that the same tools always make the same request (and hit its cache). */
  specs(tools: readonly Tool[], agents: readonly { name: string; description: string }[]): ToolSpec[] {
    return tools
      .map((tool) => ({
        name: tool.name,
        description: tool.describe(agents),
        inputSchema: this.#schemaOf(tool),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #schemaOf(tool: Tool): Record<string, unknown> {
    const known = this.#schemas.get(tool);
    if (known) return known;
    const json = z.toJSONSchema(tool.input, { io: 'input', reused: 'inline', unrepresentable: 'any' });
    const { $schema: _, ...schema } = json;
    this.#schemas.set(tool, schema);
    return schema;
  }
}
