/** What is looked at of a workflow, as its address has it. Pure. */
import type { Chosen } from './bars.ts';

const KINDS = ['request', 'call', 'ask', 'queue'] as const satisfies readonly Chosen['kind'][];

/** The run that is looked at, and what is open beside the lanes, which may be of another run. */
export function addressOf(runId: string, chosen: Chosen | null): string {
  if (chosen === null) return new URLSearchParams({ run: runId }).toString();
  const of = chosen.runId === runId ? {} : { of: chosen.runId };
  return new URLSearchParams({ run: runId, ...of, [chosen.kind]: chosen.id }).toString();
}

/** Null where nothing is open. `usual`: the run that is looked at where the address names none. */
export function chosenIn(params: Pick<URLSearchParams, 'get' | 'has'>, usual: string): Chosen | null {
  const kind = KINDS.find((one) => params.has(one));
  if (kind === undefined) return null;
  return { kind, runId: params.get('of') ?? params.get('run') ?? usual, id: params.get(kind) ?? '' };
}
