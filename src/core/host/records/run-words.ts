/** What a run is to the others of its workflow: in words, and as the path of calls that leads to it. Pure. */
import { isServing } from '#contract/flows/serving.ts';
import type { RunRow } from '#contract/view.ts';

type Placed = Pick<RunRow, 'id' | 'parentRunId' | 'agent' | 'kind' | 'place' | 'envelope'>;

/** `Stage 1 of 2`, `Coagent, round 1`; for all others what they are. `runs`: of its workflow. */
export function roleOf(run: Placed, runs: readonly Placed[]): string {
  const { kind, place } = run;
  if (kind === 'lead') return 'Lead';
  if (!isServing(run)) return 'Sub-agent';
  const number = place ?? 1;
  if (kind === 'coagent') return `Coagent, round ${number}`;
  return `Stage ${number} of ${Math.max(number, servedBy(run, runs)?.envelope.stages.length ?? 0)}`;
}

/** The run that a coagent works for, or that a stage's chain began with; undefined where it is not among them. */
export function servedBy<R extends Placed>(run: Placed, runs: readonly R[]): R | undefined {
  return runs.find(({ id }) => id === run.parentRunId);
}

/** Those that serve it: first its coagent, round by round, then the stages that follow it. */
export function serversOf<R extends Placed>({ id }: Pick<Placed, 'id'>, runs: readonly R[]): R[] {
  const of = (kind: RunRow['kind']): R[] =>
    runs.filter((run) => run.parentRunId === id && run.kind === kind).sort((a, b) => (a.place ?? 0) - (b.place ?? 0));
  return [...of('coagent'), ...of('chain')];
}

/** From the lead down, each as `child:NAME`; that of a stage goes through the stages before it. Empty for a lead. */
export function callPathOf(run: Placed, runs: readonly Placed[]): string[] {
  const served = servedBy(run, runs);
  if (!served) return run.kind === 'lead' ? [] : [`child:${run.agent}`];
  const before =
    run.kind === 'chain'
      ? serversOf(served, runs).filter(({ kind, place }) => kind === 'chain' && (place ?? 0) < (run.place ?? 0))
      : [];
  return [...callPathOf(served, runs), ...[...before, run].map(({ agent }) => `child:${agent}`)];
}
