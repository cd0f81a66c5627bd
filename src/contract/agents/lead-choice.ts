/** The agents that a picker of the lead offers. */
import type { AgentSummary } from '../agent.ts';

type Lead = Pick<AgentSummary, 'name' | 'enabled' | 'source' | 'flow'>;

/**
 * Returns the enabled agents without the compositions that ship with the program, which are examples to copy. The agent
 * that leads already stays.
 */
export function filterLeads<T extends Lead>(agents: readonly T[], current: string): T[] {
  const isExample = ({ source, flow }: Lead): boolean => source === 'builtin' && flow !== undefined;
  return agents.filter((agent) => agent.enabled && (agent.name === current || !isExample(agent)));
}
