/** What an agent works with, as most tests need it. */
import type { Envelope } from '#contract/agent.ts';

export function envelopeOf(agent: string, prompt: string, changes: Partial<Envelope> = {}): Envelope {
  return {
    agent,
    definitionHash: null,
    systemPrompt: `You are ${agent}.`,
    prompt,
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    maxTokens: 8192,
    effort: null,
    tools: ['read_file'],
    mcpServers: [],
    permissions: ['FilesystemRead'],
    folder: '/home/ada/parser',
    limits: { maxIterations: 20, inactivityMs: 300_000 },
    approvalMode: 'manual',
    stages: [],
    ...changes,
  };
}
