/** What the loop of one run works with: its envelope and history, and the capabilities that it may use. */
import type { Envelope } from '#contract/agent.ts';
import type { Approval } from '#contract/approval.ts';
import type { ChangeSet } from '#contract/change.ts';
import type { AssistantEntry, Bound, Entry, PlanItem, ToolEntry, Word } from '#contract/message.ts';
import type { OpenMessage, ToolCallRow } from '#contract/view.ts';
import type { LimitNotice } from '../budget/limit-notices.ts';
import type { Payload, Recorded } from '../log/recorder.ts';
import type { Told } from '../log/told.ts';
import type { Transcript } from '../log/transcript.ts';
import type { Model, ModelUsage, ToolSpec } from '../model/model.ts';
import type { RequestRetries } from '../model/request-retries.ts';
import type { Piece } from '../log/open-messages.ts';
import type { RunResult } from './closing.ts';
import type { CompactionDesk } from './compaction-desk.ts';
import type { Targets } from '../tools/targets.ts';
import type { Question, Tool, ToolContext } from '../tools/tool.ts';
import type { Watchdog } from '../base/watchdog.ts';

/** A call that was parsed. */
export interface ParsedCall {
  id: string;
  tool: Tool;
  input: unknown;
}

/** A question that is known; `answered` settles when each of its items is answered. Null: nobody had to be asked after all. */
interface Asked {
  answered: Promise<Approval | null>;
}

export interface RunQuestions {
  /**
   * Judges the call and asks where that is needed; null where it may go on unasked. Beyond `MAX_OPEN_QUESTIONS` a
   * question queues and is known only then, judged anew. `signal`: takes the question back; left out, the run's alone does.
   */
  readonly ask: (call: ParsedCall, question: Question | null, signal?: AbortSignal) => Promise<Asked | null>;
  readonly askAgain: (call: ParsedCall, approval: Approval) => Promise<Asked>;
  /** Whether a person could be asked about a call of this tool, or a rule, a grant or the mode could allow one. */
  readonly mayBeAllowed: (tool: Tool) => Promise<boolean>;
  /** Whether every call of this tool, whatever it is about, is allowed without asking anybody. */
  readonly needsNobody: (tool: Tool) => Promise<boolean>;
  /** Patterns of paths that a search passes over. */
  readonly hidden: (tool: string, targets: Targets) => Promise<readonly string[]>;
}

/** Who has a say in when the run is done, beside the agent itself. */
export interface Partner {
  /**
   * The agent has given a whole answer, and would end with `result`. Does the next step of its control flow: null where the
   * run goes on, else how it ends. `told`: the bound that it is at.
   */
  next(
    answer: AssistantEntry,
    result: RunResult,
    told: LimitNotice | null,
  ): AsyncGenerator<Payload, RunResult | null, Recorded>;
}

/** The steps of the run in the conversation that this one was forked from, with where they were paid: they are not done again. */
export interface TakenSteps {
  /** What the request with this key was answered with there; null where none like it was answered whole. */
  answer(key: string): AssistantEntry | null;
  /** The result of a call of a response that was taken from there; null where it did not complete. */
  result(toolCallId: string): Promise<ToolEntry | null>;
  /** What stood there next, beside responses and results, where all before it was taken from there; else null. */
  between(): Entry | null;
  /** Whether all sub-agents of a call were taken from there, so that nothing is asked and nothing starts. */
  startsNothing(toolCallId: string): boolean;
}

export interface RunContext {
  /** Null for a run that no fork goes on with. */
  readonly steps: TakenSteps | null;
  /** Whether this is the lead's run: no other is offered the tools that start sub-agents, or answers a call of one. */
  readonly leads: boolean;
  readonly envelope: Envelope;
  readonly history: Transcript;
  /** The leads' entries of each earlier workflow of the conversation; empty for a sub-agent, which sees nothing of them. */
  readonly prior: Told['prior'];
  /** Those that the lead is not told of any more; it may be told again, so the ids of their calls stay taken. */
  readonly left: readonly { readonly workflowId: string; readonly entries: readonly Entry[] }[];
  /** Tokens that its model reads in one request at most; null where that is not known. */
  readonly contextWindow: number | null;
  /** Share of the window from which room is made without being asked; null: never. */
  readonly compactAt: () => number | null;
  /** What the person asks of its context while it runs. */
  readonly compactions: CompactionDesk;
  /** The agent's plan as it is now. */
  readonly plan: () => readonly PlanItem[];
  readonly signal: AbortSignal;
  readonly watchdog: Watchdog;
  readonly model: Model;
  /** Makes the retries of one request. */
  retries(): RequestRetries;
  /** Whether complete calls are acted upon while the rest of their response still comes. */
  readonly early: boolean;
  /** The tools that this run is offered. */
  readonly tools: readonly Tool[];
  /** Whether the tool that a model calls by this name starts sub-agents. */
  startsAgents(name: string): boolean;
  /** Throws `not_allowed` for a tool that reaches the workspace folder if that was replaced. Asks the person once. */
  checkFolder(toolCallId: string, tool: Tool): Promise<void>;
  /** What earlier attempts of the run stored about its calls, by call id. */
  readonly stored: { calls: ReadonlyMap<string, ToolCallRow>; approvals: ReadonlyMap<string, Approval> };

  readonly limits: {
    /** The bound that one more request would cross, after so many turns; null lets it through. */
    admit(turns: number): Bound | null;
    /** Asks the person how to go on at a bound. `finish`: one last request without tools. `continue`: check again. */
    askPerson(bound: Bound): Promise<'continue' | 'finish'>;
    /** One more request was let through, and will not be sent. */
    withdraw(): void;
    /** Input tokens of all classes of the run's last turn; 0 before. */
    lastInput(): number;
    /** True the first time in the workflow, so that it is told once. */
    noteMiscount(): boolean;
    /** Whether the person has raised a bound since it was reached. */
    isRaised(bound: Bound): boolean;
    /** The run ends at its bound: whoever raises it now comes too late, and is told so. */
    close(): void;
  };
  /** How many requests the provider takes at a time, where the run would have to wait for its turn now; else null. */
  queue(): number | null;
  /** Waits for the run's turn at the provider, until the signal aborts. */
  admit(signal: AbortSignal): Promise<() => void>;
  price(usage: ModelUsage): { nanoUsd: number | null; priceVersion: string | null };
  hint(piece: Piece): void;
  /** Shows that an attempt at a request gets no answer. */
  noteSilence(silence: { turn: number; attempt: number; silentMs: number }): void;
  /** What the model gets of a call's output: one that is too long is kept whole, and shortened. */
  handOn(toolCallId: string, output: string): Promise<string>;
  /** The bytes of a picture that a call has shown; null where they are not kept any more. */
  readonly image: (sha256: string) => Promise<Buffer | null>;
  /** Whether the model can be shown them. */
  readonly seesImages: boolean;
  streamed(messageId: string): OpenMessage['parts'];
  /**
   * What the model is told of them: descriptions name the agents that can be used. The same with every request of an
   * attempt, because a provider's cache begins with them.
   */
  toolSpecs(): Promise<ToolSpec[]>;
  /** `told` is the same; `known` also has the run's tools that it is not told of because nobody could say yes, or no slot is left. */
  specs(): Promise<Record<'told' | 'known', ToolSpec[]>>;
  toolContext(toolCallId: string, tool: Tool): Promise<ToolContext>;
  /** What is kept of the files that an interrupted call has changed, or was about to; null where nothing is. */
  changedBy(toolCallId: string): Promise<ChangeSet | null>;
  /** Asks about a call where its tool or a rule wants that. */
  readonly ask: RunQuestions['ask'];
  /** Goes on with a question that was asked before. */
  readonly askAgain: RunQuestions['askAgain'];
  /** Its control flow; null where its first whole answer is its last. */
  readonly partner: Partner | null;
  /** What the person said to it while it works, and it was not told yet, in order. */
  unheard(): readonly Word[];
  /** What the person undid of what was changed in files, and the agent was not told yet; null where there is nothing. */
  undone(): Promise<{ text: string; undos: string[] } | null>;
  /**
   * Reports of sub-agents that went on in the background and have ended since.
   * With `wait` it waits for the next one; null when nothing is or will be there.
   */
  backgroundReports(wait: boolean): Promise<{ text: string; runIds: string[] } | null>;
}
