/** What the form of an approval calls a setting of an agent. */
import { text } from '#lib/words/text.ts';

const KEYS = {
  agent: 'agent',
  prompt: 'prompt',
  systemPrompt: 'systemPrompt',
  provider: 'provider',
  model: 'model',
  maxTokens: 'maxTokens',
  effort: 'effort',
  temperature: 'temperature',
  tools: 'tools',
  mcpServers: 'mcp',
  permissions: 'permissions',
  folder: 'folder',
  approvalMode: 'mode',
  stages: 'stages',
  'limits.maxIterations': 'maxIterations',
  'limits.doomLoopThreshold': 'repeats',
  'limits.budget.tokens': 'maxTotalTokens',
  'limits.budget.costUsd': 'maxCost',
  'limits.budget.minutes': 'maxMinutes',
} as const satisfies Readonly<Record<string, keyof typeof text.approval>>;

/** `field`: its path in the envelope; one that the form does not have is called by that. */
export function fieldLabel(field: string): string {
  return Object.hasOwn(KEYS, field) ? text.approval[KEYS[field as keyof typeof KEYS]] : field;
}
