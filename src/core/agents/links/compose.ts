/** Makes the agent of a composition from those that it names: all of its primary's, with its own name and its control flow. */
import type { AgentDefinition } from '#contract/agent.ts';
import { canonicalHash } from '../../base/hash.ts';
import type { Composition } from '../compositions/composition.ts';

/** Its hash is of all three, so that what was approved is never run with another coagent. */
export function compose(
  { name, description, flow, source, path, hash }: Composition,
  primary: AgentDefinition,
  coagent: AgentDefinition | null,
): AgentDefinition {
  return {
    ...primary,
    name,
    description,
    flow: { ...flow, primary: primary.name, coagent: coagent?.name ?? null },
    source,
    sourcePath: path,
    hash: canonicalHash([hash, primary.hash, coagent?.hash ?? null]),
  };
}
