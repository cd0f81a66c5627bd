/** The plan of a run: the data that a fresh, resumed or retried run starts from. */
import type { Envelope, RunKind } from '#contract/agent.ts';
import type { Image } from '#contract/message.ts';
import type { Recorder } from '#core/store/log/recorder.ts';
import type { Told } from '#core/store/log/told.ts';
import type { StoredRun } from './stored-run.ts';

/** Returns true for a lead and for a stage that follows it. The limits of the whole workflow apply to both. */
export function isLeadOrItsStage({ kind, depth }: Pick<RunPlan, 'kind' | 'depth'>): boolean {
  return kind === 'lead' || (kind === 'chain' && depth === 0);
}

export interface RunPlan {
  recorder: Recorder;
  kind: RunKind;
  /** Levels below the lead. A coagent and a stage have the depth of the run that they belong to. */
  depth: number;
  /** Names from the person down to this agent. */
  chain: string[];
  envelope: Envelope;
  envelopeHash: string;
  /** Pictures in the message to a lead; left out if there are none. */
  images?: Image[];
  /** 1 for a fresh run. Each resume adds 1. */
  attempt: number;
  /** True if the person requested this attempt, because the attempt before did not complete. */
  retried: boolean;
  /** Rows that earlier attempts stored. */
  stored: StoredRun;
  /** Entries of the leads of earlier workflows of the conversation; empty for a sub-agent. */
  prior: Told['prior'];
  /** Time in the queue, in milliseconds. */
  queuedMs: number;
  /** Number of runs in the queue when this run entered it, including this run; 0 if a slot was free. */
  queueDepth: number;
}
