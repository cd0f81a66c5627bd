/** What is said of the limits of a sub-agent that are lower than what was asked for. */
import type { Coagent, CutLimit } from './agent.ts';

/** `model`: the id of the model that the agent has. */
export function cutText({ limit, wanted, most }: CutLimit, model: string): string {
  const why = limit === 'maxTokens' ? `${model} writes no more` : 'limits.max_iterations_ceiling of the settings';
  return `cut from ${wanted} to ${most}: ${why}`;
}

/** Those that still are what they were cut to: what the person changed is as the person wants it. */
export function cutIn({ cut = [], maxTokens, limits }: Pick<Coagent, 'cut' | 'maxTokens' | 'limits'>): CutLimit[] {
  const now = { maxTokens, maxIterations: limits.maxIterations };
  return cut.filter(({ limit, most }) => now[limit] === most);
}

/** One line about an envelope; empty where nothing of it was cut. */
export function cutLine(envelope: Coagent): string {
  const names = { maxIterations: 'iterations', maxTokens: 'tokens per answer' };
  return cutIn(envelope)
    .map((cut) => `${names[cut.limit]} ${cutText(cut, envelope.model)}`)
    .join('; ');
}
