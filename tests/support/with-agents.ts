/** Agents without files: a process that is killed and restarted has them again. */
import type { AgentDefinition } from '#contract/agent.ts';
import type { AgentFolders } from '#core/agents/agent-folders.ts';

/** From now on also these are agents of every folder. */
export function withAgents(agents: AgentFolders, definitions: readonly AgentDefinition[]): AgentFolders {
  const before = agents.of.bind(agents);
  agents.of = async (folder) => {
    const registry = await before(folder);
    for (const definition of definitions) registry.register(definition);
    return registry;
  };
  return agents;
}
