/** The question about the start of sub-agents, and the definition of a temporary one. */
import type { AgentDefinition, Envelope } from '#contract/agent.ts';
import type { SpawnItem } from '#contract/approval.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import type { Question } from '../../tools/question.ts';
import { asked } from '../../tools/asked.ts';

export type Operation = 'spawn' | 'delegate' | 'parallel';

/** Returns the definition of an agent that exists only for one run. */
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

/** Returns the question about the start. `background`: the lead does not wait for the sub-agents. */
export function questionOf(operation: Operation, items: SpawnItem[], background: boolean): Question {
  const names = items.map(({ envelope }) => envelope.agent).join(', ');
  // A sibling of the same batch that did not complete is in the question, too.
  const again = items.find((item) => item.again)?.again;
  const one = { title: items[0]?.title ?? '', name: names };
  const title =
    again && items.length === 1
      ? phrase('run_again', one)
      : operation === 'parallel'
        ? phrase('batch', { count: items.length, names })
        : operation === 'delegate'
          ? phrase('delegate', one)
          : phrase('spawn', { ...one, background });
  const said = asked(title, [
    ...(again ? [phrase('asked_again', { run: again.runId, session: again.conversationId })] : []),
    phrase('sub_agent'),
    ...(background ? [phrase('in_background')] : []),
  ]);
  return {
    ...said,
    description: `${said.description}.`,
    subject: { kind: 'envelopes', operation, items, ...(background ? { background } : {}) },
    risk: operation === 'parallel' ? 'high' : 'medium',
    reversible: true,
    ...(again ? { held: 'You asked for it: it starts with your yes alone' } : {}),
  };
}
