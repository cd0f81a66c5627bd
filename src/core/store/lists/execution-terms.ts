/** Index terms of a sub-agent's execution: one for each filter value. */
import type { RunRow } from '#contract/view.ts';
import type { ExecutionFilter } from '../store.ts';

const FACETS = ['agent', 'kind', 'status', 'outcome', 'model', 'folder'] as const;
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

/** `folder`: of its conversation. */
export function termsOfExecution(run: RunRow, folder: string): string[] {
  const { agent, kind, status, outcome, envelope } = run;
  const values: Record<Facet, string | null> = { agent, kind, status, outcome, model: envelope.model, folder };
  const terms = FACETS.flatMap((facet) => {
    const value = values[facet];
    return value === null ? [] : [termOf(facet, value)];
  });
  return [ANY_EXECUTION, ...terms];
}

/** The terms that a matching execution must have. */
export function termsOfExecutionFilter(filter: ExecutionFilter): string[] {
  return FACETS.flatMap((facet) => {
    const value = filter[facet];
    return value === undefined ? [] : [termOf(facet, value)];
  });
}
