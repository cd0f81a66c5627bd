/** Which runs belong together: a sub-agent with the stages that follow it, and each run with its coagent's. Pure. */
import type { Approval } from '#contract/approval.ts';
import type { Tally } from '#contract/outcome.ts';
import { addTally, ZERO_TALLY } from '#domain/tally.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { isActive, type Phase, phaseOfRun } from './phase.ts';

/** One place of a chain: of one that is still to come, only the agent is known. */
export interface Link {
  /** From 0: the run that the chain begins with. */
  place: number;
  agent: string;
  run: RunRow | null;
}

export interface Rows {
  runs: readonly RunRow[];
  approvals: readonly Approval[];
  workflows: readonly WorkflowRow[];
}

/** Whether a run is of the conversation that this one was forked from: it is shown here, and nothing of it can be done. */
export function isFromOrigin({ id, copiedFrom }: Pick<RunRow, 'id' | 'copiedFrom'>): boolean {
  return copiedFrom?.runId === id;
}

/** What serves it directly: its coagent's runs, by round. */
export function coagentRunsOf({ id }: Pick<RunRow, 'id'>, runs: readonly RunRow[]): RunRow[] {
  return runs.filter(({ kind, parentRunId }) => kind === 'coagent' && parentRunId === id).sort(byPlace);
}

/** The chain that a run begins: itself, and all that follows it, whether begun or not. */
export function chainOf(run: RunRow, runs: readonly RunRow[]): Link[] {
  const own = runs.filter(({ kind, parentRunId }) => kind === 'chain' && parentRunId === run.id);
  const stages = run.envelope.stages.map(({ agent }, index): Link => {
    const place = index + 1;
    return { place, agent, run: own.find((stage) => stage.place === place) ?? null };
  });
  return [{ place: 0, agent: run.agent, run }, ...stages];
}

/** A run with all that serves it. */
export function familyOf(run: RunRow, runs: readonly RunRow[]): RunRow[] {
  return chainOf(run, runs).flatMap((link) => (link.run ? [link.run, ...coagentRunsOf(link.run, runs)] : []));
}

/** What all of them used. */
export function usageOf(runs: readonly Pick<RunRow, 'usage'>[]): Tally {
  return runs.reduce((sum, { usage }) => addTally(sum, usage), ZERO_TALLY);
}

/** The link at which a chain is, or ended: the first that did not complete, else the last that began. */
export function linkAt(links: readonly Link[]): RunRow | null {
  const begun = links.flatMap(({ run }) => run ?? []);
  return begun.find(({ outcome }) => outcome !== 'completed') ?? begun.at(-1) ?? null;
}

/** Where one run stands; what its coagent asks blocks it, too. */
export function phaseOfServed(run: RunRow, { runs, approvals, workflows }: Rows): Phase {
  const phase = phaseOfRun(run, approvals, workflows);
  if (!isActive(phase)) return phase;
  const waits = (one: RunRow): boolean => phaseOfRun(one, approvals, workflows) === 'waiting';
  return coagentRunsOf(run, runs).some(waits) ? 'waiting' : phase;
}

/** Where a run with its stages stands: it works until the last of them has ended, or one did not complete. */
export function phaseOfChain(run: RunRow, rows: Rows): Phase {
  const links = chainOf(run, rows.runs);
  const at = linkAt(links) ?? run;
  const phase = phaseOfServed(at, rows);
  if (phase !== 'completed' || links.every((link) => link.run !== null)) return phase;
  const ended = rows.workflows.some(({ id, outcome }) => id === run.workflowId && outcome !== null);
  return ended ? 'interrupted' : 'running';
}

function byPlace(a: RunRow, b: RunRow): number {
  return (a.place ?? 0) - (b.place ?? 0);
}
