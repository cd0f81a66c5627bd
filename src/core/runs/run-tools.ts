/** The tools of one run: those that it may call, and those that its requests declare. */
import { mcpTools } from '#core/mcp/mcp-tool.ts';
import type { RunMcp } from '#core/mcp/run-mcp.ts';
import type { ToolSpec } from '#core/model/model.ts';
import type { ToolRegistry } from '#core/tools/registry.ts';
import type { Tool } from '#core/tools/tool.ts';
import { agentToolsOf } from './agent-tools.ts';
import type { Engine } from './engine.ts';
import type { RunPlan } from './run-plan.ts';
import { describeUnsentTools, selectSentTools, specsOf, usableTools } from './sent-tools.ts';
import type { Workflow } from './workflow/workflow.ts';

interface RunToolsDependencies {
  engine: Engine;
  workflow: Workflow;
  plan: RunPlan;
  mcp: RunMcp;
}

export class RunTools {
  /** The tools that the run may call. */
  readonly all: readonly Tool[];
  readonly #parts: RunToolsDependencies;
  readonly #registry: ToolRegistry;
  #maxSubAgents = 0;
  /** Tools that requests declare. Fixed at the start of the attempt: a change would invalidate the provider's cache. */
  #declared: readonly Tool[];
  #usable: Promise<readonly Tool[]> | null = null;
  #sentNames: ReadonlySet<string> | null = null;

  constructor(parts: RunToolsDependencies) {
    const { engine, workflow, plan, mcp } = parts;
    const { envelope, kind } = plan;
    this.#parts = parts;
    this.#registry = engine.tools
      .with(mcpTools(envelope.mcp ?? [], mcp))
      .with(agentToolsOf(workflow.agents, envelope.tools));
    this.all = this.#registry.offered(envelope.tools, kind === 'lead');
    this.#declared = this.all;
  }

  /** Fixes the declared tools. `children`: the sub-agents of a lead. */
  begin(children: { maxSubAgents: number; isExhausted(): boolean } | null): void {
    this.#maxSubAgents = children?.maxSubAgents ?? 0;
    if (children?.isExhausted()) this.#declared = this.all.filter(({ startsAgents }) => !startsAgents);
  }

  find(name: string): Tool | undefined {
    return this.all.find((tool) => tool.name === name);
  }

  /** Returns true if the tool of this name starts sub-agents. */
  startsAgents(name: string): boolean {
    return this.#registry.startsAgents(name);
  }

  /** Returns the declarations of the tools. Their descriptions name the agents that can be used. */
  async specs(): Promise<ToolSpec[]> {
    const { engine, plan } = this.#parts;
    this.#usable ??= usableTools(this.#declared, this.#parts);
    const specs = await specsOf(this.#registry, await this.#usable, this.#parts, {
      setup: engine.envelopes.setup(plan.envelope.provider),
      maxSubAgents: this.#maxSubAgents,
    });
    this.#sentNames ??= this.#select(specs);
    return specs.filter(({ name }) => this.#sentNames?.has(name));
  }

  /** Selects the tools that fit into each request of an attempt. A workflow reports once which tools do not fit. */
  #select(specs: readonly ToolSpec[]): ReadonlySet<string> {
    const { kind, attempt, recorder } = this.#parts.plan;
    const { names, unsent } = selectSentTools(specs);
    // A sub-agent uses only servers that its lead has too, so the notice of the lead is enough.
    for (const group of kind === 'lead' && attempt === 1 ? unsent : [])
      void recorder.record({ type: 'notice', level: 'warning', text: describeUnsentTools(group) });
    return names;
  }
}
