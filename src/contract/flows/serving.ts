/** Which runs are sub-agents of a workflow, and which serve another run: its coagents, and the stages that follow it. */
import type { RunKind } from '../agent.ts';

/** One of those that a workflow may start, each of which takes a slot. */
export function isSubAgent({ kind }: { kind: RunKind }): boolean {
  return kind === 'spawn' || kind === 'delegate' || kind === 'parallel';
}

/** It works at the depth of its parent, and ends with it. */
export function isServing({ kind }: { kind: RunKind }): boolean {
  return kind === 'coagent' || kind === 'chain';
}

/** A sub-agent or a stage of its chain: its workflow's end tells of it. */
export function isReported(run: { kind: RunKind }): boolean {
  return isSubAgent(run) || run.kind === 'chain';
}

/** How many agents have worked below the lead of a workflow: its sub-agents, and those that followed them in a chain. */
export function agentsBelow(runs: readonly { kind: RunKind; attempt: number }[]): number {
  return runs.filter((run) => isReported(run) && run.attempt > 0).length;
}
