/** The model of an agent as other programs name it: an id, and its provider where that is certain. */
import type { AgentDefinition } from '#contract/agent.ts';
import { DEFAULT_ALIASES, modelIdOf } from '../../settings/model-aliases.ts';

export interface NamedModel {
  /** Null for an agent that names none. */
  id: string | null;
  provider: string | null;
  vendor: 'anthropic' | 'other' | null;
}

export function describeModel({ model, ...agent }: Pick<AgentDefinition, 'model' | 'provider'>): NamedModel {
  const provider = agent.provider ?? null;
  if (model === null) return { id: null, provider, vendor: null };
  const id = modelIdOf(model, DEFAULT_ALIASES) ?? model;
  const isAnthropic = /^claude-/.test(id);
  return { id, provider: provider ?? (isAnthropic ? 'anthropic' : null), vendor: isAnthropic ? 'anthropic' : 'other' };
}
