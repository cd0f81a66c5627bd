/** Index terms of a sub-agent's execution: one for each filter value. */
import type { RunRow } from '#contract/view.ts';
import type { ExecutionFilter } from '../store.ts';

const FACETS = ['agent', 'kind', 'status', 'model'] as const;
type Facet = (typeof FACETS)[number];

/** The term of every execution that is listed. No term of an execution is one of a workflow: their counts share a table. */
export const ANY_EXECUTION = 'execution:*';

/** As the counts name it. */
export function executionFacet<F extends Facet>(facet: F): `execution.${F}` {
  return `execution.${facet}`;
}

function termOf(facet: Facet, value: string): string {
  return `${executionFacet(facet)}:${value}`;
}

export function termsOfExecution({ agent, kind, status, envelope: { model } }: RunRow): string[] {
  const values: Record<Facet, string> = { agent, kind, status, model };
  return [ANY_EXECUTION, ...FACETS.map((facet) => termOf(facet, values[facet]))];
}

/** The terms that a matching execution must have. */
export function termsOfExecutionFilter(filter: ExecutionFilter): string[] {
  return FACETS.flatMap((facet) => {
    const value = filter[facet];
    return value === undefined ? [] : [termOf(facet, value)];
  });
}
