/** How the start of sub-agents is put to the person, and to the registry. */
import type { AgentDefinition, Envelope } from '#contract/agent.ts';
import type { SpawnItem } from '#contract/approval.ts';
import type { Question } from '../../tools/question.ts';

export type Operation = 'spawn' | 'delegate' | 'parallel';

/** The definition of an agent that exists for one run only. */
export function temporary({ agent, systemPrompt, tools, mcpServers, model }: Envelope): AgentDefinition {
  return {
    name: agent,
    description: `Temporary agent ${agent}`,
    role: 'subagent',
    model,
    effort: null,
    maxTokens: null,
    temperature: null,
    maxIterations: null,
    doomLoopThreshold: null,
    maxMinutes: null,
    permissions: null,
    requiresApproval: [],
    approvalTimeoutMs: null,
    reflection: null,
    tools,
    mcpServers,
    systemPrompt,
    enabled: true,
    lifecycle: 'temporary',
    source: 'spawned',
    sourcePath: null,
    hash: null,
  };
}

/** `background`: the lead does not wait for them. */
export function questionOf(operation: Operation, items: SpawnItem[], background: boolean): Question {
  const names = items.map(({ envelope }) => envelope.agent).join(', ');
  const again = items[0]?.again;
  const title = again
    ? `Run ${names} again, for "${items[0]?.title}"?`
    : operation === 'parallel'
      ? `Run ${items.length === 1 ? 'a batch of one agent' : `${items.length} agents at the same time`}: ${names}?`
      : operation === 'delegate'
        ? `Delegate "${items[0]?.title}" to ${names}?`
        : `Start the sub-agent ${names} for "${items[0]?.title}"${background ? ' in the background' : ''}?`;
  const meanwhile = background ? ' It works in the background: its lead goes on meanwhile.' : '';
  const asked = again
    ? `You asked for run ${again.runId} of session ${again.conversationId} again, with the settings that it had. Files are as they are now. `
    : '';
  return {
    title,
    description: `${asked}A sub-agent is told its system prompt and its prompt, nothing else of this conversation, and hands back one report.${meanwhile}`,
    subject: { kind: 'envelopes', operation, items, ...(background ? { background } : {}) },
    risk: operation === 'parallel' ? 'high' : 'medium',
    reversible: true,
  };
}
