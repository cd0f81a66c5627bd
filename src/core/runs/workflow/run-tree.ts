/** The tree of live runs of one workflow. A stop of a run also stops all runs below it. */
import type { StopReceipt } from '#contract/view.ts';
import type { Earlier } from '#core/store/log/told.ts';
import type { Transcript } from '#core/store/log/transcript.ts';
import type { CompactionRequests } from '../loop/compaction-requests.ts';
import type { ToolSpec } from '#core/model/model.ts';
import { Stopped, type StopKind } from '#core/base/stop.ts';

/** Maximum wait of a stop for the stopped runs, in milliseconds, before it reports the rest. */
const STOP_PATIENCE_MS = 5_000;

/** A run that can be stopped, until it has ended. */
export interface LiveRun {
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly agent: string;
  readonly title: string;
  readonly controller: AbortController;
  /** Current requests and tool calls, for the receipt of a stop. */
  requests: number;
  tools: number;
  /** Access of the person to its context; null until it works. `tools`: the declared tools. */
  context: {
    compactions: CompactionRequests;
    history: Transcript;
    prior: readonly Earlier[];
    tools: () => Promise<ToolSpec[]>;
  } | null;
  /** True once raised limits have no effect on it. */
  ending: boolean;
  /** Settles when the run has ended and its end is recorded. */
  done: Promise<unknown>;
}

/** The runs that a stop has ended, and the runs of the workflow that continue. */
export interface Stop {
  counts: StopCounts;
  ended: readonly Pick<LiveRun, 'runId' | 'agent'>[];
  goOn: readonly Pick<LiveRun, 'runId' | 'agent'>[];
}
export type StopCounts = Omit<StopReceipt, 'ended' | 'goOn' | 'withdrawn' | 'queued'>;

export class RunTree {
  readonly leadRunId: string;
  /** The controller of the lead. Those of all other runs are below it. */
  readonly controller = new AbortController();
  readonly #runs = new Map<string, LiveRun>();

  constructor(leadRunId: string) {
    this.leadRunId = leadRunId;
  }

  get size(): number {
    return this.#runs.size;
  }

  get(runId: string): LiveRun | undefined {
    return this.#runs.get(runId);
  }

  all(): LiveRun[] {
    return [...this.#runs.values()];
  }

  has(runId: string): boolean {
    return this.#runs.has(runId);
  }

  childrenOf(runId: string): LiveRun[] {
    return [...this.#runs.values()].filter(({ parentRunId }) => parentRunId === runId);
  }

  /** All that hang below a run, each after the one that it hangs on. */
  below(runId: string): LiveRun[] {
    return this.childrenOf(runId).flatMap((run) => [run, ...this.below(run.runId)]);
  }

  /** Keeps the run in the tree until `work` has settled. */
  live<T>(
    run: Omit<LiveRun, 'requests' | 'tools' | 'context' | 'ending' | 'done'>,
    work: (live: LiveRun) => Promise<T>,
  ): Promise<T> {
    const live: LiveRun = { ...run, requests: 0, tools: 0, context: null, ending: false, done: Promise.resolve() };
    this.#runs.set(run.runId, live);
    const result = work(live).finally(() => this.#runs.delete(run.runId));
    live.done = result.catch(() => undefined);
    return result;
  }

  /** From now on the run takes no change of its limits. */
  close(runId: string): void {
    const run = this.#runs.get(runId);
    if (run) run.ending = true;
  }

  /** Stops a run and all below it; says what was ended once it has ended. `approvals`: counts the open questions of these runs. */
  async stop(runId: string, kind: StopKind, approvals: (runIds: readonly string[]) => number): Promise<Stop> {
    const own = this.#runs.get(runId);
    // The lead's can be stopped before it lives: it then ends as soon as it starts.
    const controller = runId === this.leadRunId ? this.controller : own?.controller;
    const runs = [...(own ? [own] : []), ...this.below(runId)];
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
    const goOn = this.all().filter((run) => !runs.includes(run) && !run.controller.signal.aborted);
    const counts = { ...receipt, left: runs.filter((run) => this.#runs.has(run.runId)).length };
    return { counts, ended: runs, goOn };
  }
}
