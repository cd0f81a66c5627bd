/** One attempt at a run: its plan, its history, and the parts that its loop and its tools use. */
import type { Envelope } from '#contract/agent.ts';
import type { Approval } from '#contract/approval.ts';
import { MAX_OPEN_QUESTIONS } from '#contract/limits.ts';
import type { AssistantEntry, PlanItem, Word } from '#contract/message.ts';
import type { ToolCallRow } from '#contract/view.ts';
import { Semaphore } from '#core/base/semaphore.ts';
import { Stopped } from '#core/base/stop.ts';
import { Watchdog } from '#core/base/watchdog.ts';
import { WorkClock } from '#core/base/work-clock.ts';
import { RunMcp } from '#core/mcp/run-mcp.ts';
import type { Emit, Payload, Recorded, Recorder, RunIds } from '#core/store/log/recorder.ts';
import type { Told } from '#core/store/log/told.ts';
import { Transcript } from '#core/store/log/transcript.ts';
import type { Children } from '#core/tools/children.ts';
import { handedOn } from '#core/tools/long-output.ts';
import { RunShell } from '#core/workspace/shell/run-shell.ts';
import { createEmit } from './create-emit.ts';
import type { LimitNotice } from './budget/limit-notices.ts';
import type { Engine } from './engine.ts';
import type { RunResult } from './loop/closing.ts';
import { CompactionRequests } from './loop/compaction-requests.ts';
import { RunLimits } from './run-limits.ts';
import type { RunPlan } from './run-plan.ts';
import { RunRequests } from './run-requests.ts';
import { RunTools } from './run-tools.ts';
import { UndoNotes } from './undo-notes.ts';
import type { LiveRun } from './workflow/run-tree.ts';
import type { Workflow } from './workflow/workflow.ts';

/** Threads for searches, PDFs and web pages that one run uses at a time. Each of them takes much of the machine. */
const THREADS = 2;

/** The parts that a workflow adds to one of its runs. */
export interface RunExtensions {
  /** Creates the control flow; null for a run without one. */
  partner: ((run: Run) => Partner | null) | null;
  /** Creates the control of sub-agents; null except for a lead. */
  children: ((run: Run) => LeadChildren) | null;
}

/** A control flow, which decides together with the agent when the run is done. */
export interface Partner {
  /**
   * Takes the next step of the control flow after a complete answer, with which the run would end as `result`. Returns how
   * the run ends, or null if it continues. `told`: the limit that the run has reached.
   */
  next(
    answer: AssistantEntry,
    result: RunResult,
    told: LimitNotice | null,
  ): AsyncGenerator<Payload, RunResult | null, Recorded>;
}

/** The sub-agents of a lead's run: the interface of its tools, and the work in the background. */
export interface LeadChildren extends Children {
  /** Number of sub-agents that the workflow may start. */
  readonly maxSubAgents: number;
  /** Returns true if no sub-agent can start any more, and all that started have ended. */
  isExhausted(): boolean;
  /** Returns whether all sub-agents of a call have ended, so that its report needs no approval. */
  startsNothing(toolCallId: string): boolean;
  /**
   * Returns the reports of sub-agents that ended in the background since the last call. `wait`: waits for the next one.
   * Null if there is no report, or none can follow.
   */
  backgroundReports(wait: boolean): Promise<{ text: string; runIds: string[] } | null>;
  /** Resumes the sub-agents that worked in the background, and starts those that wait for another attempt. */
  resumeBackground(): Promise<void>;
  /** Ends all sub-agents. Called when the lead has ended. */
  end(): Promise<void>;
}

export class Run {
  readonly engine: Engine;
  readonly workflow: Workflow;
  readonly plan: RunPlan;
  readonly signal: AbortSignal;
  readonly history: Transcript;
  readonly clock: WorkClock;
  readonly watchdog: Watchdog;
  readonly limits: RunLimits;
  readonly requests: RunRequests;
  readonly tools: RunTools;
  /** The shell commands of the run; `end` stops them. */
  readonly shell: RunShell;
  /** The MCP servers of the run; `end` stops them. */
  readonly mcp: RunMcp;
  /** Null except for a lead. */
  readonly children: LeadChildren | null;
  /** The person's requests to compact the context while the run works. */
  readonly compactions = new CompactionRequests();
  /** The person's undos of file changes that the agent must be informed of. */
  readonly undos: UndoNotes;
  /** Slots of open questions. A further question waits until one is answered. */
  readonly questionSlots = new Semaphore(MAX_OPEN_QUESTIONS);
  readonly threads = new Semaphore(THREADS);
  /** Records an event and counts its usage. */
  readonly emit: Emit;
  /** Calls and approvals that earlier attempts stored, by call id. */
  readonly stored: { calls: ReadonlyMap<string, ToolCallRow>; approvals: ReadonlyMap<string, Approval> };
  readonly #createPartner: RunExtensions['partner'];
  #partner: Partner | null = null;
  #planItems: readonly PlanItem[];

  constructor(
    { engine, workflow, live }: { engine: Engine; workflow: Workflow; live: LiveRun },
    plan: RunPlan,
    extensions: RunExtensions,
  ) {
    const { envelope, stored, recorder } = plan;
    const { conversationId } = recorder.ids;
    this.engine = engine;
    this.workflow = workflow;
    this.plan = plan;
    this.#createPartner = extensions.partner;
    this.signal = live.controller.signal;
    this.history = new Transcript(stored.entries);
    this.clock = new WorkClock(stored.workedMs);
    const stop = (): void => live.controller.abort(new Stopped('timeout'));
    this.watchdog = new Watchdog(envelope.limits.inactivityMs, stop, [this.clock, workflow.budget.clock]);
    this.shell = new RunShell(engine.shell, engine.outputs.background(recorder.ids), this.signal);
    this.mcp = new RunMcp(engine.mcp, { folder: envelope.folder, conversationId }, this.signal);
    this.limits = new RunLimits(this);
    this.requests = new RunRequests(this);
    this.tools = new RunTools(this);
    this.undos = new UndoNotes(this);
    this.emit = createEmit(this);
    this.stored = storedCalls(plan);
    this.#planItems = stored.plan;
    this.children = extensions.children?.(this) ?? null;
  }

  get envelope(): Envelope {
    return this.plan.envelope;
  }

  get recorder(): Recorder {
    return this.plan.recorder;
  }

  get ids(): RunIds {
    return this.recorder.ids;
  }

  /** Returns true for the lead's run. Only a lead has the tools that start sub-agents. */
  get isLead(): boolean {
    return this.plan.kind === 'lead';
  }

  /** Entries of the leads of earlier workflows of the conversation; empty for a sub-agent. */
  get prior(): Told['prior'] {
    return this.plan.prior;
  }

  /** The control flow; null if the run ends with its first complete answer. */
  get partner(): Partner | null {
    return this.#partner;
  }

  /** The current plan of the agent. */
  get planItems(): readonly PlanItem[] {
    return this.#planItems;
  }

  async writePlan(items: PlanItem[]): Promise<void> {
    this.#planItems = items;
    await this.recorder.record({ type: 'plan-change', items });
  }

  /** Connects to the provider, resumes sub-agents in the background, and fixes the list of tools. */
  async begin(): Promise<void> {
    await this.requests.connect();
    await this.children?.resumeBackground();
    this.tools.begin(this.children);
    this.#partner = this.#createPartner?.(this) ?? null;
  }

  /** Returns the person's messages during the run that its model has not received yet, in order. */
  unheard(): readonly Word[] {
    return this.workflow.words.unheard(this.ids.runId, this.history.entries);
  }

  /** Returns the reports like `LeadChildren.backgroundReports`; null for a run without sub-agents. */
  async backgroundReports(wait: boolean): ReturnType<LeadChildren['backgroundReports']> {
    if (!this.children) return null;
    // Sub-agents have watchdogs of their own.
    const resume = this.watchdog.hold();
    return this.children.backgroundReports(wait).finally(resume);
  }

  /** Returns the output of a call for the model. Stores an output that is too long, and shortens it. */
  handOn(toolCallId: string, output: string): Promise<string> {
    const { conversationId, runId } = this.ids;
    return handedOn(output, toolCallId, () => this.engine.outputs.keep({ conversationId, runId, toolCallId }, output));
  }

  /** Returns the bytes of a picture that a call has shown; null if they are no longer stored. */
  image(sha256: string): Promise<Buffer | null> {
    return this.engine.outputs.image(this.ids.conversationId, sha256);
  }

  /** Ends sub-agents, commands and MCP servers of the run. */
  async end(): Promise<void> {
    await Promise.all([this.children?.end(), this.shell.end(), this.mcp.end()]);
  }
}

/** Returns the stored calls and their approvals. Excludes questions that a call asked while it ran. */
function storedCalls({ stored: { calls, approvals } }: RunPlan): Run['stored'] {
  const own = approvals.filter(({ request }) => !request.during);
  return {
    calls: new Map(calls.map((call) => [call.toolCallId, call])),
    approvals: new Map(own.map((approval) => [approval.request.toolCallId, approval])),
  };
}
