/** What those that serve a sub-agent lose with the tools that the person takes from it. Pure. */
import type { Envelope } from '#contract/agent.ts';
import { allServing } from '#contract/flows/serving-text.ts';

/** By name of the agent, each with the tools that it had and loses; only those that lose any. `tools`: what is left. */
export function takenFromServed(asked: Envelope, tools: readonly string[]): { agent: string; tools: string[] }[] {
  const taken = asked.tools.filter((name) => name !== 'task_complete' && !tools.includes(name));
  const lost = new Map<string, Set<string>>();
  for (const part of allServing(asked)) {
    const gone = part.tools.filter((name) => taken.includes(name));
    if (gone.length > 0) lost.set(part.agent, new Set([...(lost.get(part.agent) ?? []), ...gone]));
  }
  return [...lost].map(([agent, gone]) => ({ agent, tools: [...gone] }));
}
