/** What serves a run has only tools that the run has: what more it names is said where the files are checked. */
import type { AgentDefinition, Fault } from '#contract/agent.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { fault } from '../entries.ts';
import type { Link } from './link.ts';
import type { KnownTool } from '../vocabulary.ts';

/** Tools by name that a stage or a coagent names and the run that it serves lacks; none where that has whatever its lead has. */
export function lackedTools(served: AgentDefinition, serving: AgentDefinition, tools: readonly KnownTool[]): string[] {
  const { tools: given } = served;
  if (given === null) return [];
  // Tools without permissions, which work on the agent's own things alone, are left out without a word.
  return tools
    .filter(({ name, baseline, permissions }) => {
      return serving.tools?.includes(name) && !given.includes(name) && !baseline && permissions.length > 0;
    })
    .map(({ name }) => name);
}

/** For the first agent of a chain. */
export function toolWarnings(
  first: AgentDefinition,
  chain: readonly AgentDefinition[],
  link: Link,
  tools: readonly KnownTool[],
): Fault[] {
  return chain.flatMap((stage) => {
    const lacked = lackedTools(first, stage, tools);
    if (lacked.length === 0) return [];
    const says = phrase('stage_lacks', { stage: stage.name, names: lacked.join(', '), first: first.name });
    return [fault(link.at, says, { key: link.key })];
  });
}
