/** The tools by which a lead calls the agents of its workflow, each by its own (`agent__NAME`). */
import type { AgentDefinition } from '#contract/agent.ts';
import { payloadOf } from '../agents/contracts.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { agentTool, agentToolName, formerAgentTool, isAgentTool } from '../tools/agents/agent-tool.ts';
import type { Tool } from '../tools/tool.ts';

/** One for each agent that is exposed as a tool; of those that would have the same name the first, in order of name. */
export function agentTools(agents: AgentRegistry): Tool[] {
  return [...namedAlike(agents).values()].flatMap(([first]) => (first ? [toolOf(first)] : []));
}

/** And those that a run was given for agents which cannot be used any more. */
export function agentToolsOf(agents: AgentRegistry, given: readonly string[]): Tool[] {
  const tools = agentTools(agents);
  const former = given.filter((name) => isAgentTool(name) && tools.every((tool) => tool.name !== name));
  return [...tools, ...former.map(formerAgentTool)];
}

/** A line for each agent that gets no tool because another one has its name. */
export function toolClashes(agents: AgentRegistry): string[] {
  return [...namedAlike(agents)].flatMap(([tool, [first, ...others]]) =>
    others.map(
      ({ name }) => `${name} is no tool: ${first?.name ?? ''} has the name ${tool} already. delegate_task reaches both`,
    ),
  );
}

function namedAlike(agents: AgentRegistry): Map<string, AgentDefinition[]> {
  const exposed = agents
    .list({ enabled: true })
    .filter(({ exposeAsTool, lifecycle, role }) => exposeAsTool && lifecycle === 'permanent' && role !== 'primary');
  return Map.groupBy(exposed, ({ name }) => agentToolName(name));
}

function toolOf({ name, description, input }: AgentDefinition): Tool {
  const schema = input?.format === 'json' ? (input.schema ?? {}) : null;
  const misfit = (value: unknown): string | null => {
    const held = payloadOf({ format: 'json', schema }, JSON.stringify(value));
    return held.ok ? null : held.why;
  };
  return agentTool({ name, description, schema, misfit });
}
