/** The capability of starting sub-agents, as the lead's tools see it. */
import type { Approval } from '#contract/approval.ts';
import type { Effort, Permission } from '#contract/agent.ts';
import type { JsonSchema } from '#contract/flows/control-flow.ts';
import type { Outcome, Status } from '#contract/outcome.ts';
import type { StopReceipt } from '#contract/view.ts';
import type { ReviewedAttempt } from '#contract/history/review-history.ts';
import type { Question } from './question.ts';

/** What the lead asks for; all that is left out is inherited. */
export interface ChildRequest {
  /** A definition to run, or to base a temporary agent on. */
  agent: string | null;
  /** Name of a temporary agent. */
  name: string | null;
  /** 3 to 7 words for the screen; not sent to the child. */
  title: string;
  prompt: string;
  systemPrompt: string | null;
  tools: string[] | null;
  /** The permissions that its tools may need at most. */
  permissions: Permission[] | null;
  mcpServers: string[] | null;
  provider: string | null;
  model: string | null;
  effort: Effort | null;
  /** Whether it may search what the workflow's other sub-agents have reported. */
  seesReports: boolean;
  /** Minutes that it may work. */
  maxMinutes: number | null;
}

export interface ChildReport {
  runId: string;
  agent: string;
  status: Status;
  /** Null while it still runs in the background. */
  outcome: Outcome | null;
  report: string;
  /** Why it did not complete; null when it did. */
  error: string | null;
  durationMs: number;
  /** What the person changed in its settings before allowing it; null where nothing. */
  edits?: string | null;
  /** What the person said to it and to its stages while they worked; left out where nothing. */
  said?: string[];
  /** All classes of input. */
  tokensInput: number;
  tokensOutput: number;
  /** The stages of its chain that were begun, in order; left out where there are none. All else is of the whole chain. */
  stages?: { place: number; agent: string; runId: string; outcome: Outcome }[];
  /** The reviews of the run with the report; absent for none. */
  reviews?: ReviewedAttempt[];
  /** What the runs gave that came before the one that ended the chain too early; left out where none did. */
  gave?: { agent: string; runId: string; report: string }[];
}

/** An agent that a lead can delegate to. `input_schema`: set if its prompt must be JSON; `chain`: the agents that always follow it. */
export interface ListedAgent {
  name: string;
  description: string;
  input_schema?: JsonSchema;
  chain?: string[];
}

export interface ChildState {
  runId: string;
  agent: string;
  title: string;
  status: Status;
}

export interface Children {
  /**
   * Checks and resolves the requests, takes their slots and queues their runs: the question that must be answered yes.
   * Null where nothing starts: all were taken from where the conversation was forked. `background`: the lead will not wait
   * for them.
   */
  propose(
    operation: 'spawn' | 'delegate' | 'parallel',
    toolCallId: string,
    requests: ChildRequest[],
    background?: boolean,
  ): Promise<Question | null>;
  /**
   * Runs what was allowed (null: nothing was asked), in the order of the requests, and reports on every item when `wait` are those that have ended:
   * all, the first, or none. Those that go on report later.
   */
  run(toolCallId: string, approval: Approval | null, wait: 'all' | 'first' | 'none'): Promise<ChildReport[]>;
  list(): ChildState[];
  terminate(runId: string): Promise<Omit<StopReceipt, 'ended' | 'goOn' | 'withdrawn' | 'queued'>>;
  /** Definitions that can be delegated to now. */
  agents(): ListedAgent[];
}
