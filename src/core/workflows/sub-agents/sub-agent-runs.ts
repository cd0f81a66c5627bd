/** What becomes of a sub-agent once its question is answered: refused, stopped before its turn, or run; one end and one report each. */
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
import { takeRun } from './taken-runs.ts';
import type { Engine } from '../../runs/engine.ts';
import { errorInfo } from '../../base/errors.ts';
import { type ChainEnd, chainsIn, hasEnded, isLeft, type Link, linkOf, runChain } from '../../flows/chain.ts';
import type { FinishedRun, RunSteps } from '../../log/step-cache.ts';
import type { Transcript } from '../../log/transcript.ts';
import type { RunPlan } from '../../runs/run-plan.ts';
import { linkedController, Stopped, stopOf } from '../../base/stop.ts';
import type { ChildReport } from '../../tools/children.ts';
import type { LiveRun } from '../../runs/run-tree.ts';
import type { Workflow } from '../workflow.ts';

/** What the sub-agents of one lead share with it. */
export interface LeadParts {
  engine: Engine;
  workflow: Workflow;
  /** The lead's. */
  plan: RunPlan;
  signal: AbortSignal;
  history: Transcript;
}

export class SubAgentRuns {
  readonly #parts: LeadParts;
  readonly #chains: ChainRuns;
  /** Asked for, or left by an earlier attempt, and not gone on with yet. */
  readonly #expected = new Map<string, FirstRun>();
  /** Sub-agents that a person stopped before they started. */
  readonly #stopped = new Map<string, Promise<ChildReport>>();

  constructor(parts: LeadParts) {
    this.#parts = parts;
    const { engine, workflow, plan } = parts;
    this.#chains = new ChainRuns({ engine, workflow, ids: plan.recorder.ids, depth: plan.depth + 1 });
  }

  /** Whether some wait to be started, or to be gone on with. */
  get areExpected(): boolean {
    return this.#expected.size > 0;
  }

  /** It was asked for, or an earlier attempt left it: until its start it can be ended by a stop alone, also one of its stage. */
  expect(asked: FirstRun): void {
    this.#register(asked);
    this.#expected.set(asked.id, asked);
    for (const runId of runIdsOf(asked)) {
      this.#parts.workflow.subAgents.waits(runId, () => {
        this.forget(asked);
        const ended = this.#endNext(asked, 'cancelled', errorInfo(new Stopped('user')));
        this.#stopped.set(asked.id, ended);
      });
    }
  }

  /** It is taken from where this was forked, so it is not gone on with. */
  take(asked: FirstRun, found: FinishedRun): void {
    this.forget(asked);
    takeRun(this.#parts, found, asked, (run) => this.#chains.createRecorder(run));
  }

  /** The same for a fresh one and for one that a restart interrupted. */
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

  /** Another attempt at what a run of its chain did not complete; its yes, its envelope and its slot still hold. */
  again(row: RunRow, asked: FirstRun): Promise<ChildReport> {
    this.forget(asked);
    return this.#start({ ...asked, queuedAt: new Date().toISOString() }, row.id);
  }

  /** The lead has ended, and nothing will go on: what was never started ends with it. */
  endExpected(error: ErrorInfo): void {
    for (const asked of this.#expected.values()) {
      const last = asked.stages.at(-1) ?? asked.stored;
      if (last?.outcome !== 'interrupted') void this.#endNext(asked, 'cancelled', error);
    }
    this.#expected.clear();
  }

  /** Nobody waits for it any more: a stop finds it in the tree of runs, or it ends. */
  forget(asked: FirstRun): void {
    this.#expected.delete(asked.id);
    for (const runId of runIdsOf(asked)) this.#parts.workflow.subAgents.waitsNoMore(runId);
  }

  /** Ends what would be next of it, without starting that; `retry`: the run that was to be tried again. */
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
    const { workflow, signal } = this.#parts;
    const { id: runId, parentRunId, agent, title } = asked;
    this.#register(asked);
    const { controller, unlink } = linkedController(signal);
    const work = async (live: LiveRun): Promise<ChildReport> => {
      const { queueDepth, turn } = workflow.subAgents.admit(runId, controller.signal);
      const how = { retry, queueDepth };
      const leave = await turn.catch((error: unknown) => this.#neverStarted(asked, error, how));
      if (typeof leave !== 'function') return leave;
      try {
        return await this.#goThrough(live, await this.#known(asked, how), how);
      } finally {
        leave();
      }
    };
    return workflow.runs.live({ runId, parentRunId, agent, title, controller }, work).finally(() => {
      unlink();
      workflow.agents.unregister(runId);
    });
  }

  /** One that is tried again as it is stored now, with the settings that it was started with. */
  async #known(asked: FirstRun, { retry }: ChainStart): Promise<FirstRun> {
    if (retry === null) return asked;
    const rows = await this.#parts.engine.store.runsOf([this.#parts.workflow.id]);
    const stored = rows.find(({ id }) => id === asked.id) ?? null;
    const { envelope, envelopeHash } = stored ?? asked;
    return { ...asked, envelope, envelopeHash, stored, stages: chainsIn(rows).get(asked.id) ?? [] };
  }

  /** A temporary agent is an agent of its workflow from its question to its end, as what was approved of it. */
  #register({ id, kind, envelope }: ChainRun): void {
    if (kind === 'spawn') this.#parts.workflow.agents.register(temporary(envelope), id);
  }

  /** The sub-agent, and in its slot and turn the stages that follow it, from the first that has not ended. */
  async #goThrough(live: LiveRun, asked: FirstRun, how: ChainStart): Promise<ChildReport> {
    const steps = this.#stepsOf(asked);
    const first = findEarlierEnd(asked, how.retry) ?? (await this.#chains.executeRun(live, asked, how, steps));
    return this.#reportOf(
      await runChain(first, asked, (next) => this.#chains.runStage(live, asked, next, { retry: how.retry, steps })),
    );
  }

  queue(asked: FirstRun): void {
    this.#chains.queueRun(asked);
  }

  #stepsOf({ toolCallId, item }: ChainRun): RunSteps | null {
    const { plan, history } = this.#parts;
    return plan.steps?.ofSubAgent(history.entries, toolCallId ?? '', item) ?? null;
  }

  async #refuse(asked: FirstRun, decision: Decision | null): Promise<ChildReport> {
    const { signal } = this.#parts;
    const cancelled = decision?.outcome === 'cancelled';
    const reason = decision?.reason ?? (cancelled ? 'Cancelled' : 'no reason given');
    const message = cancelled ? reason : `Rejected${decider(decision)}: ${reason}`;
    if (signal.aborted && stopOf(signal).code === 'interrupted') throw stopOf(signal);
    const code = cancelled ? 'cancelled' : 'not_allowed';
    return this.#endNext(asked, cancelled ? 'cancelled' : 'rejected', { code, message });
  }

  #reportOf(end: ChainEnd): ChildReport {
    return reportOf(end, this.#parts.workflow.words);
  }

  /** Stopped while it waited for its turn. */
  async #neverStarted(asked: FirstRun, error: unknown, how: ChainStart): Promise<ChildReport> {
    const info = errorInfo(error);
    if (info.code === 'interrupted') throw error;
    return this.#endNext(await this.#known(asked, how), 'cancelled', info, how);
  }
}

/** Of one that had ended, with its chain, before a restart. */
function storedEnd(asked: FirstRun, stored: RunRow): Promise<ChainEnd> {
  return runChain(linkOf(stored), asked, async ({ place }) => linkOf(asked.stages[place - 1]!));
}

/** A stop of any of these ends the chain: of the sub-agent, and of the stage that its chain goes on with. */
function runIdsOf({ id, stages }: FirstRun): string[] {
  const open = stages.filter((stage) => !hasEnded(stage));
  return [id, ...open.map((stage) => stage.id)];
}

/** Whoever has the whole workflow's questions answered is named by the reason. */
function decider(decision: Decision | null): string {
  if (decision?.ruleId?.startsWith('approve:')) return '';
  if (decision?.decidedBy === 'person') return ' by the person';
  return decision?.decidedBy === 'rule' ? ' by a rule' : ' by default';
}
