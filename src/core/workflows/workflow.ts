/** One workflow while it lives: its slots, its queue, its totals and everything in it that can be stopped. */
import type { ApprovePolicy, Budget } from '#contract/agent.ts';
import type { Origin, SubAgentSummary } from '#contract/event.ts';
import type { Tally } from '#contract/outcome.ts';
import type { RunRow, StopReceipt } from '#contract/view.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { TriadError } from '../base/errors.ts';
import { Semaphore } from '../base/semaphore.ts';
import { SpawnOrder } from './spawn-order.ts';
import { Slots } from '../budget/slots.ts';
import { Spending } from '../budget/spending.ts';
import { Stopped, type StopKind } from '../base/stop.ts';

/** How long a stop waits for what it stopped, in milliseconds, before it reports what is left. */
const STOP_PATIENCE_MS = 5_000;

/** A run from the moment it may be stopped until it has ended. */
export interface LiveRun {
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly agent: string;
  readonly title: string;
  readonly controller: AbortController;
  /** What it is doing right now, for the receipt of a stop. */
  requests: number;
  tools: number;
  /** Whatever is raised from now on comes too late for it. */
  ending: boolean;
  /** Settles when the run has ended and its end is recorded. */
  done: Promise<unknown>;
}

export class Workflow {
  readonly id: string;
  readonly conversationId: string;
  readonly leadRunId: string;
  readonly title: string;
  readonly approve: ApprovePolicy;
  /** Who can be asked in it, as it was when it started: what is changed meanwhile counts for the next. */
  readonly agents: AgentRegistry;
  readonly slots: Slots;
  readonly admission: Semaphore;
  readonly runs = new Map<string, LiveRun>();
  /** In the order in which they were asked for. */
  readonly subAgents = new Map<string, SubAgentSummary>();
  /** Null where several may work at a time: then who was answered first begins first. */
  readonly order: SpawnOrder | null;
  /** Of every run that was queued, also in earlier attempts. */
  readonly origins: Map<string, Origin>;
  /** The lead's; everything else hangs below it. */
  readonly controller = new AbortController();
  tally: Tally;
  /** Ends of sub-agents that are asked for but have not started. */
  readonly unstarted = new Map<string, () => void>();
  /** Models whose unknown price was told. */
  readonly unpriced = new Set<string>();
  readonly spending: Spending;
  /** Bounds of runs that the person raised, whole. */
  readonly raised: Map<string, Budget>;
  /** Attempts of sub-agents that were begun since the workflow lives. */
  readonly attempts = new Map<string, number>();
  /** Sub-agents that are tried again as soon as the lead begins. */
  readonly retries = new Map<string, RunRow>();
  /** Sub-agents that the person stopped before the lead began. */
  readonly stopped = new Set<string>();
  /** Tries a sub-agent again beside the lead; null when no lead can be told of it any more. */
  retry: ((row: RunRow) => boolean) | null = (row) => {
    this.retries.set(row.id, row);
    return true;
  };

  constructor(parts: {
    id: string;
    conversationId: string;
    leadRunId: string;
    title: string;
    approve: ApprovePolicy;
    agents: AgentRegistry;
    maxSubAgents: number;
    maxConcurrent: number;
    /** Sub-agents of earlier attempts, and how many of them hold a slot. */
    subAgents: readonly SubAgentSummary[];
    taken: number;
    tally: Tally;
    spending: Omit<ConstructorParameters<typeof Spending>[0], 'tally'>;
    raised: ReadonlyMap<string, Budget>;
    origins: ReadonlyMap<string, Origin>;
  }) {
    this.id = parts.id;
    this.conversationId = parts.conversationId;
    this.leadRunId = parts.leadRunId;
    this.title = parts.title;
    this.approve = parts.approve;
    this.agents = parts.agents;
    this.slots = new Slots(parts.maxSubAgents, parts.taken);
    this.admission = new Semaphore(parts.maxConcurrent);
    this.order = parts.maxConcurrent === 1 ? new SpawnOrder(this.subAgents) : null;
    this.tally = parts.tally;
    this.spending = new Spending({ ...parts.spending, tally: () => this.tally });
    this.raised = new Map(parts.raised);
    this.origins = new Map(parts.origins);
    for (const subAgent of parts.subAgents) this.subAgents.set(subAgent.runId, subAgent);
  }

  /** Keeps the run among the living until `work` has settled. */
  live<T>(
    run: Omit<LiveRun, 'requests' | 'tools' | 'ending' | 'done'>,
    work: (live: LiveRun) => Promise<T>,
  ): Promise<T> {
    const live: LiveRun = { ...run, requests: 0, tools: 0, ending: false, done: Promise.resolve() };
    this.runs.set(run.runId, live);
    const result = work(live).finally(() => this.runs.delete(run.runId));
    live.done = result.catch(() => undefined);
    return result;
  }

  /**
   * Without a wait, so that of all who ask for the same attempt one gets it: the others get a `conflict`. `row` may be
   * older than what happened since. False when the lead cannot be told of it any more.
   */
  tryAgain(row: RunRow): boolean {
    const isBegun = (this.attempts.get(row.id) ?? 0) > row.attempt;
    if (isBegun || this.runs.has(row.id) || this.retries.has(row.id))
      throw new TriadError('conflict', 'This agent is being tried again already');
    if (row.outcome === 'interrupted')
      throw new TriadError('conflict', 'This agent goes on already, with its workflow');
    return this.retry?.(row) ?? false;
  }

  /** From now on the run takes no change. */
  close(runId: string): void {
    const run = this.runs.get(runId);
    if (run) run.ending = true;
  }

  /** Ends a sub-agent that has not started, or leaves it as it was; false where there is none such. */
  stopUnstarted(runId: string): boolean {
    const end = this.unstarted.get(runId);
    const isWaiting = this.retries.delete(runId);
    if (end) end();
    else if (isWaiting) this.stopped.add(runId);
    return end !== undefined || isWaiting;
  }

  /** Stops a run and all below it; says what was ended once it has ended. `approvals`: open questions of these runs. */
  async stop(runId: string, kind: StopKind, approvals: (runIds: readonly string[]) => number): Promise<StopReceipt> {
    // The lead's can be stopped before it lives: it then ends as soon as it starts.
    const controller = runId === this.leadRunId ? this.controller : this.runs.get(runId)?.controller;
    const runs = [...this.runs.values()].filter((run) => run.runId === runId || run.parentRunId === runId);
    const receipt = {
      agents: runs.length,
      requests: runs.reduce((count, run) => count + run.requests, 0),
      tools: runs.reduce((count, run) => count + run.tools, 0),
      approvals: approvals(runs.map((run) => run.runId)),
    };
    controller?.abort(new Stopped(kind));
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => (timer = setTimeout(resolve, STOP_PATIENCE_MS)));
    await Promise.race([Promise.all(runs.map((run) => run.done)), patience]);
    clearTimeout(timer);
    return { ...receipt, left: runs.filter((run) => this.runs.has(run.runId)).length };
  }
}
