/** How the start of sub-agents is put to the person, and to the registry. */
import type { AgentDefinition, Envelope } from '#contract/agent.ts';
import type { SpawnItem } from '#contract/approval.ts';
import type { Question } from '../../tools/question.ts';

export type Operation = 'spawn' | 'delegate' | 'parallel';

/** The definition of an agent that exists for one run only. */
export function temporary({ agent, systemPrompt, tools, model }: Envelope): AgentDefinition {
  return {
    name: agent,
    description: `Temporary agent ${agent}`,
    role: 'subagent',
    model,
    effort: null,
    maxTokens: null,
    maxIterations: null,
    permissions: null,
    requiresApproval: [],
    approvalTimeoutMs: null,
    reflection: null,
    tools,
    systemPrompt,
    enabled: true,
    lifecycle: 'temporary',
    source: 'spawned',
    sourcePath: null,
    hash: null,
  };
}

export function questionOf(operation: Operation, items: SpawnItem[]): Question {
  const names = items.map(({ envelope }) => envelope.agent).join(', ');
  const title =
    operation === 'parallel'
      ? `Run ${items.length === 1 ? 'a batch of one agent' : `${items.length} agents at the same time`}: ${names}?`
      : operation === 'delegate'
        ? `Delegate "${items[0]?.title}" to ${names}?`
        : `Start the sub-agent ${names} for "${items[0]?.title}"?`;
  return {
    title,
    description:
      'A sub-agent is told its system prompt and its prompt, nothing else of this conversation, and hands back one report.',
    subject: { kind: 'envelopes', operation, items },
    risk: operation === 'parallel' ? 'high' : 'medium',
    reversible: true,
  };
}
