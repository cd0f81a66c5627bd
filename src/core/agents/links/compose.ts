/** Makes the agent of a composition from those that it names: all of its primary's, with its own name and its control flow. */
import type { AgentDefinition } from '#contract/agent.ts';
import { canonicalHash } from '../../base/hash.ts';
import type { Composition } from '../compositions/composition.ts';

/**
 * The hash includes all three, so an approved agent never runs with another coagent. The keys of the primary that begin
 * with `x-` are left out.
 */
export function compose(
  { name, description, flow, source, path, hash }: Composition,
  primary: AgentDefinition,
  coagent: AgentDefinition | null,
): AgentDefinition {
  const { extra: _, ...own } = primary;
  return {
    ...own,
    name,
    description,
    flow: { ...flow, primary: primary.name, coagent: coagent?.name ?? null },
    source,
    sourcePath: path,
    hash: canonicalHash([hash, primary.hash, coagent?.hash ?? null]),
  };
}
