/** What a run is started from, whether it is fresh, resumed or tried again. */
import type { Envelope, RunKind } from '#contract/agent.ts';
import type { Image } from '#contract/message.ts';
import type { RunSteps } from '../log/step-cache.ts';
import type { Transcript } from '../log/transcript.ts';
import type { Partner, RunContext } from '../loop/run-context.ts';
import type { RunResult } from '../loop/closing.ts';
import type { Payload, Recorded, Recorder } from '../log/recorder.ts';
import type { StoredRun } from './stored-run.ts';
import type { Children } from '../tools/children.ts';
import type { Tool } from '../tools/tool.ts';

/** Returns true for a lead and for a stage that follows it. The limits of the whole workflow apply to both. */
export function isLeadOrItsStage({ kind, depth }: Pick<RunPlan, 'kind' | 'depth'>): boolean {
  return kind === 'lead' || (kind === 'chain' && depth === 0);
}

export interface RunPlan {
  recorder: Recorder;
  kind: RunKind;
  /** Of a coagent and a stage: that of the run that it serves. */
  depth: number;
  /** From the person down to this agent. */
  chain: string[];
  envelope: Envelope;
  envelopeHash: string;
  /** Of a lead's message; left out where it has none. */
  images?: Image[];
  /** 1 for a fresh run; a resumed one counts on. */
  attempt: number;
  /** The person asked for this attempt, because the one before did not complete. */
  retried: boolean;
  /** What earlier attempts stored. */
  stored: StoredRun;
  prior: RunContext['prior'];
  left: RunContext['left'];
  /** Those of the run that it goes on with in a fork; null for any other. */
  steps: RunSteps | null;
  queuedMs: number;
  /** How many waited for a slot when it began to wait, itself included; 0 if one was free. */
  queueDepth: number;
  /** Makes what its control flow does once it has answered; null where it has none. */
  partner: ((run: RunContext, plan: RunPlan) => Partner) | null;
  /** Makes the capability of starting sub-agents: a lead's plan has it, no other has. */
  children: ((history: Transcript, signal: AbortSignal) => LeadChildren) | null;
  /** What a lead does that asks no model: it has one sub-agent started, and hands on its report. Left out of all others. */
  alone?: Alone;
}

export interface Alone {
  /** The one that its only call is of. */
  readonly tool: Tool;
  loop(run: RunContext): AsyncGenerator<Payload, RunResult, Recorded>;
}

/** Sub-agents as their lead's run sees them: what the tools use, and what goes on behind them. */
export interface LeadChildren extends Children {
  /** How many its workflow may start. */
  readonly maxSubAgents: number;
  /** None can be started any more, and all that were have ended: nothing is left to do with them. */
  isExhausted(): boolean;
  /** Whether all that a call asks for was taken from where this was forked. */
  startsNothing(toolCallId: string): boolean;
  backgroundReports: RunContext['backgroundReports'];
  /** Sub-agents that were working in the background go on there, and those that wait to be tried again start. */
  resumeBackground(): Promise<void>;
  /** The lead has ended: nothing of it may go on. */
  end(): Promise<void>;
}
