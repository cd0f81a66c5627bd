/** What an agent works with, as most tests need it. */
import type { AgentDefinition, Envelope } from '#contract/agent.ts';

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

/** A sub-agent of the person's that leaves everything to its lead and the settings. */
export function definitionOf(parts: Partial<AgentDefinition> = {}): AgentDefinition {
  return {
    name: 'worker',
    description: 'Works.',
    role: 'subagent',
    model: null,
    effort: null,
    maxTokens: null,
    temperature: null,
    maxIterations: null,
    doomLoopThreshold: null,
    maxMinutes: null,
    tools: null,
    mcpServers: null,
    permissions: null,
    requiresApproval: [],
    approvalTimeoutMs: null,
    reflection: null,
    systemPrompt: 'Work well.',
    enabled: true,
    lifecycle: 'permanent',
    source: 'user',
    sourcePath: null,
    hash: 'h',
    ...parts,
  };
}
