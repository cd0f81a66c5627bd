/** Whom a question is about, in a few words for who looks elsewhere. */
import type { ApprovalRequest } from '../approval.ts';
import { spawnItems } from '../spawn-items.ts';

/** The names of the sub-agents that would start, or of the agent that asks for anything else. */
export function askingAgents({ agent, subject }: Pick<ApprovalRequest, 'agent' | 'subject'>): string {
  const proposed = spawnItems(subject).map(({ envelope }) => envelope.agent);
  return proposed.length === 0 ? agent : proposed.join(', ');
}
