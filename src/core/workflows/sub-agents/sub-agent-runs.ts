/** Handles sub-agents after their question: rejects, stops or runs each of them, with one end and one report. */
import { Envelope } from '#contract/agent.ts';
import type { Decision } from '#contract/approval.ts';
import type { ErrorInfo } from '#contract/error.ts';
import type { RunRow } from '#contract/view.ts';
import {
  type ChainRun,
  type ChainStart,
  ChainRuns,
  findEarlierEnd,
  type FirstRun,
  type UnstartedOutcome,
} from './chain-runs.ts';
import { temporary } from './proposal.ts';
import { reportOf } from './report.ts';
import { errorInfo } from '../../base/errors.ts';
import { type ChainEnd, chainsIn, hasEnded, isLeft, type Link, linkOf, runChain } from '../flows/chain.ts';
import type { Run } from '#core/runs/run.ts';
import { linkedController, Stopped, stopOf } from '../../base/stop.ts';
import type { ChildReport } from '../../tools/children.ts';
import type { LiveRun } from '#core/runs/workflow/run-tree.ts';

export class SubAgentRuns {
  readonly #lead: Run;
  readonly #chains: ChainRuns;
  /** Sub-agents that are proposed or were left by an earlier attempt, and have not continued yet. */
  readonly #expected = new Map<string, FirstRun>();
  /** Sub-agents that a person stopped before they started. */
  readonly #stopped = new Map<string, Promise<ChildReport>>();

  constructor(lead: Run) {
    this.#lead = lead;
    const { engine, workflow, plan, ids } = lead;
    this.#chains = new ChainRuns({ engine, workflow, ids, depth: plan.depth + 1 });
  }

  /** Returns true if sub-agents wait for their start, or to be continued. */
  get areExpected(): boolean {
    return this.#expected.size > 0;
  }

  /** Registers a sub-agent that is proposed, or was left by an earlier attempt. A stop of it or of its stage ends it. */
  expect(asked: FirstRun): void {
    this.#register(asked);
    this.#expected.set(asked.id, asked);
    for (const runId of runIdsOf(asked)) {
      this.#lead.workflow.subAgents.waits(runId, () => {
        this.forget(asked);
        const ended = this.#endNext(asked, 'cancelled', errorInfo(new Stopped('user')));
        this.#stopped.set(asked.id, ended);
      });
    }
  }

  /** Continues a sub-agent after the decision, also one that a restart interrupted. Resolves with its report. */
  async answered(asked: FirstRun, decision: Decision | null): Promise<ChildReport> {
    this.forget(asked);
    const stopped = this.#stopped.get(asked.id);
    if (stopped) return stopped;
    if (asked.stored && !isLeft(asked.stored, asked.stages))
      return this.#reportOf(await storedEnd(asked, asked.stored));
    if (!decision?.allowed) return this.#refuse(asked, decision);
    const envelope = decision.edited === undefined ? asked.envelope : Envelope.parse(decision.edited);
    return this.#start({ ...asked, envelope, envelopeHash: decision.hashAfter });
  }

  /** Tries a run of the chain again that did not complete, with the same approval, envelope and slot. */
  again(row: RunRow, asked: FirstRun): Promise<ChildReport> {
    this.forget(asked);
    return this.#start({ ...asked, queuedAt: new Date().toISOString() }, row.id);
  }

  /** Ends all sub-agents that have not started. Call it when the lead has ended. */
  endExpected(error: ErrorInfo): void {
    for (const asked of this.#expected.values()) {
      const last = asked.stages.at(-1) ?? asked.stored;
      if (last?.outcome !== 'interrupted') void this.#endNext(asked, 'cancelled', error);
    }
    this.#expected.clear();
  }

  /** Removes a sub-agent from the expected ones. It starts, so that a stop finds it in the tree of runs, or ends. */
  forget(asked: FirstRun): void {
    this.#expected.delete(asked.id);
    for (const runId of runIdsOf(asked)) this.#lead.workflow.subAgents.waitsNoMore(runId);
  }

  /** Ends a sub-agent without starting its next run. `retry`: id of the run that should be tried again. */
  async #endNext(
    asked: FirstRun,
    outcome: UnstartedOutcome,
    error: ErrorInfo,
    { retry = null, queueDepth = 0 }: { retry?: string | null; queueDepth?: number } = {},
  ): Promise<ChildReport> {
    const end = (run: ChainRun): Link =>
      findEarlierEnd(run, retry) ?? this.#chains.endUnstarted(run, outcome, error, queueDepth);
    return this.#reportOf(
      await runChain(end(asked), asked, async (next) => end(this.#chains.findOrQueueStage(asked, next))),
    );
  }

  async #start(asked: FirstRun, retry: string | null = null): Promise<ChildReport> {
    const { workflow, signal } = this.#lead;
    const { id: runId, parentRunId, agent, title } = asked;
    this.#register(asked);
    const { controller, unlink } = linkedController(signal);
    const work = async (live: LiveRun): Promise<ChildReport> => {
      const { queueDepth, turn } = workflow.subAgents.admit(runId, controller.signal);
      const how = { retry, queueDepth };
      const leave = await turn.catch((error: unknown) => this.#neverStarted(asked, error, how));
      if (typeof leave !== 'function') return leave;
      try {
        return await this.#goThrough(live, await this.#reload(asked, how), how);
      } finally {
        leave();
      }
    };
    return workflow.runs.live({ runId, parentRunId, agent, title, controller }, work).finally(() => {
      unlink();
      workflow.agents.unregister(runId);
    });
  }

  /** Returns a sub-agent for a retry, with its current rows and the envelope of its start. */
  async #reload(asked: FirstRun, { retry }: ChainStart): Promise<FirstRun> {
    if (retry === null) return asked;
    const rows = await this.#lead.engine.store.runsOf([this.#lead.workflow.id]);
    const stored = rows.find(({ id }) => id === asked.id) ?? null;
    const { envelope, envelopeHash } = stored ?? asked;
    return { ...asked, envelope, envelopeHash, stored, stages: chainsIn(rows).get(asked.id) ?? [] };
  }

  /** Adds a temporary agent to the agents of the workflow, from its question to its end. */
  #register({ id, kind, envelope }: ChainRun): void {
    if (kind === 'spawn') this.#lead.workflow.agents.register(temporary(envelope), id);
  }

  /** Runs the sub-agent and its stages in one slot, from the first run that has not ended. */
  async #goThrough(live: LiveRun, asked: FirstRun, how: ChainStart): Promise<ChildReport> {
    const first = findEarlierEnd(asked, how.retry) ?? (await this.#chains.executeRun(live, asked, how));
    return this.#reportOf(await runChain(first, asked, (next) => this.#chains.runStage(live, asked, next, how.retry)));
  }

  queue(asked: FirstRun): void {
    this.#chains.queueRun(asked);
  }

  async #refuse(asked: FirstRun, decision: Decision | null): Promise<ChildReport> {
    const { signal } = this.#lead;
    const cancelled = decision?.outcome === 'cancelled';
    const reason = decision?.reason ?? (cancelled ? 'Cancelled' : 'no reason given');
    const message = cancelled ? reason : `Rejected${decider(decision)}: ${reason}`;
    if (signal.aborted && stopOf(signal).code === 'interrupted') throw stopOf(signal);
    const code = cancelled ? 'cancelled' : 'not_allowed';
    return this.#endNext(asked, cancelled ? 'cancelled' : 'rejected', { code, message });
  }

  #reportOf(end: ChainEnd): ChildReport {
    return reportOf(end, this.#lead.workflow.words);
  }

  /** Ends a sub-agent that was stopped while it waited for its slot. */
  async #neverStarted(asked: FirstRun, error: unknown, how: ChainStart): Promise<ChildReport> {
    const info = errorInfo(error);
    if (info.code === 'interrupted') throw error;
    return this.#endNext(await this.#reload(asked, how), 'cancelled', info, how);
  }
}

/** Returns the stored end of a chain that had ended before a restart. */
function storedEnd(asked: FirstRun, stored: RunRow): Promise<ChainEnd> {
  return runChain(linkOf(stored), asked, async ({ place }) => linkOf(asked.stages[place - 1]!));
}

/** Returns the ids of the runs whose stop ends the chain: the sub-agent and its open stages. */
function runIdsOf({ id, stages }: FirstRun): string[] {
  const open = stages.filter((stage) => !hasEnded(stage));
  return [id, ...open.map((stage) => stage.id)];
}

/** Returns who rejected, for the message; empty for a policy of the workflow, which the reason names. */
function decider(decision: Decision | null): string {
  if (decision?.ruleId?.startsWith('approve:')) return '';
  if (decision?.decidedBy === 'person') return ' by the person';
  return decision?.decidedBy === 'rule' ? ' by a rule' : ' by default';
}
