/** What becomes of a sub-agent once its question is answered: refused, stopped before its turn, or run; one end and one report each. */
import { Envelope } from '#contract/agent.ts';
import type { Decision } from '#contract/approval.ts';
import type { ErrorInfo } from '#contract/error.ts';
import { STATUS_OF } from '#contract/status-of.ts';
import type { RunRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import { temporary } from './proposal.ts';
import { reportOf } from './report.ts';
import { takeRun } from './taken-runs.ts';
import type { Engine } from '../../runs/engine.ts';
import { errorInfo, TriadError } from '../../base/errors.ts';
import { newId, traceIdOf } from '../../base/ids.ts';
import {
  type ChainEnd,
  chainsIn,
  hasEnded,
  isLeft,
  type Link,
  linkOf,
  type NextStage,
  runChain,
} from '../../flows/chain.ts';
import { partnerFor } from '../../flows/partner.ts';
import type { FinishedRun, RunSteps } from '../../log/step-cache.ts';
import type { Transcript } from '../../log/transcript.ts';
import { Recorder } from '../../log/recorder.ts';
import { executeRun } from '../../runs/run.ts';
import type { RunPlan } from '../../runs/run-plan.ts';
import { linkedController, Stopped, stopOf } from '../../base/stop.ts';
import { loadStored } from '../../runs/stored-run.ts';
import type { ChildReport } from '../../tools/children.ts';
import { usageOf } from '../../base/usage.ts';
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

/** A run that its lead has asked for, or that is a stage of one. */
interface Asked extends Pick<
  RunRow,
  | ('id' | 'parentRunId' | 'toolCallId' | 'item' | 'envelope' | 'envelopeHash' | 'title' | 'kind' | 'agent')
  | ('queuedAt' | 'again')
> {
  /** From the person down to this agent. */
  parentChain: string[];
  /** What the store has of it from an earlier attempt; null where there was none. */
  stored: RunRow | null;
}

/** A sub-agent that its lead has asked for. */
export interface AskedSubAgent extends Asked {
  /** What the store has of the stages that follow it, in order. */
  stages: readonly RunRow[];
}

type Unstarted = 'cancelled' | 'rejected';

export class SubAgentRuns {
  readonly #parts: LeadParts;
  /** Asked for, or left by an earlier attempt, and not gone on with yet. */
  readonly #expected = new Map<string, AskedSubAgent>();
  /** Sub-agents that a person stopped before they started. */
  readonly #stopped = new Map<string, Promise<ChildReport>>();

  constructor(parts: LeadParts) {
    this.#parts = parts;
  }

  /** Whether some wait to be started, or to be gone on with. */
  get areExpected(): boolean {
    return this.#expected.size > 0;
  }

  recorder({
    id: runId,
    agent,
    parentRunId,
    stored,
  }: Pick<Asked, 'id' | 'agent' | 'parentRunId' | 'stored'>): Recorder {
    const { engine, plan, workflow } = this.#parts;
    const { conversationId, workflowId } = plan.recorder.ids;
    const ids = { conversationId, workflowId, runId, parentRunId, agent };
    return new Recorder(engine.log, engine.open, ids, stored?.usage ?? ZERO_TALLY, workflow.record);
  }

  /** It was asked for, or an earlier attempt left it: until its start it can be ended by a stop alone, also one of its stage. */
  expect(asked: AskedSubAgent): void {
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
  take(asked: AskedSubAgent, found: FinishedRun): void {
    this.forget(asked);
    takeRun(this.#parts, found, asked, (run) => this.recorder(run));
  }

  /** The same for a fresh one and for one that a restart interrupted. */
  async answered(asked: AskedSubAgent, decision: Decision | null): Promise<ChildReport> {
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
  again(row: RunRow, asked: AskedSubAgent): Promise<ChildReport> {
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
  forget(asked: AskedSubAgent): void {
    this.#expected.delete(asked.id);
    for (const runId of runIdsOf(asked)) this.#parts.workflow.subAgents.waitsNoMore(runId);
  }

  /** Ends what would be next of it, without starting that; `retry`: the run that was to be tried again. */
  async #endNext(
    asked: AskedSubAgent,
    outcome: Unstarted,
    error: ErrorInfo,
    { retry = null, queueDepth = 0 }: { retry?: string | null; queueDepth?: number } = {},
  ): Promise<ChildReport> {
    const end = (run: Asked): Link => endedBefore(run, retry) ?? this.#endUnstarted(run, outcome, error, queueDepth);
    return this.#reportOf(await runChain(end(asked), asked, async (next) => end(this.#stage(asked, next))));
  }

  /** `queueDepth`: how many waited with it. */
  #endUnstarted(asked: Asked, outcome: Unstarted, error: ErrorInfo, queueDepth: number): Link {
    const { id: runId, agent, kind, stored } = asked;
    const { workflow } = this.#parts;
    const recorder = this.recorder(asked);
    const text = stored?.text ?? '';
    const durationMs = stored?.durationMs ?? 0;
    // What an earlier attempt left keeps its slot, and a stage has none of its own.
    if (kind !== 'chain' && (stored?.attempt ?? 0) === 0) workflow.subAgents.slots.release();
    workflow.agents.unregister(runId);
    const { tally } = recorder;
    const depth = queueDepth > 0 ? { queueDepth } : {};
    void recorder.record({ type: 'run-end', outcome, text, error, durationMs, usage: usageOf(tally), ...depth });
    workflow.subAgents.change(runId, { status: STATUS_OF[outcome], outcome, durationMs });
    return { runId, agent, outcome, text, error, durationMs, tally };
  }

  async #start(asked: AskedSubAgent, retry: string | null = null): Promise<ChildReport> {
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
  async #known(asked: AskedSubAgent, { retry }: How): Promise<AskedSubAgent> {
    if (retry === null) return asked;
    const rows = await this.#parts.engine.store.runsOf([this.#parts.workflow.id]);
    const stored = rows.find(({ id }) => id === asked.id) ?? null;
    const { envelope, envelopeHash } = stored ?? asked;
    return { ...asked, envelope, envelopeHash, stored, stages: chainsIn(rows).get(asked.id) ?? [] };
  }

  /** A temporary agent is an agent of its workflow from its question to its end, as what was approved of it. */
  #register({ id, kind, envelope }: Asked): void {
    if (kind === 'spawn') this.#parts.workflow.agents.register(temporary(envelope), id);
  }

  /** The sub-agent, and in its slot and turn the stages that follow it, from the first that has not ended. */
  async #goThrough(live: LiveRun, asked: AskedSubAgent, how: How): Promise<ChildReport> {
    const first = endedBefore(asked, how.retry) ?? (await this.#execute(live, asked, how, this.#stepsOf(asked)));
    return this.#reportOf(await runChain(first, asked, (next) => this.#runStage(live, asked, next, how)));
  }

  /** One that is stopped before its start is queued and ended, so that a chain that did not come to its end says where. */
  async #runStage(above: LiveRun, asked: AskedSubAgent, next: NextStage, { retry }: How): Promise<Link> {
    const { signal } = above.controller;
    const stop = signal.aborted ? stopOf(signal) : null;
    if (stop?.code === 'interrupted') throw stop;
    const stage = this.#stage(asked, next);
    const before = endedBefore(stage, retry);
    if (before) return before;
    if (stop) return this.#endUnstarted(stage, 'cancelled', errorInfo(stop), 0);
    const { id: runId, parentRunId, agent, title } = stage;
    const { controller, unlink } = linkedController(signal);
    const steps = this.#stepsOf(asked)?.serving('chain', next.place) ?? null;
    const work = (live: LiveRun): Promise<Link> => this.#execute(live, stage, { retry, queueDepth: 0 }, steps);
    return this.#parts.workflow.runs.live({ runId, parentRunId, agent, title, controller }, work).finally(unlink);
  }

  /** The stage as it was left, or else queued now. It waits for nothing, so it never has waited long. */
  #stage(first: AskedSubAgent, { place, envelope, envelopeHash }: NextStage): Asked {
    const queuedAt = new Date().toISOString();
    const stored = first.stages[place - 1];
    if (stored) return { ...stored, envelope, queuedAt, stored };
    const { agent } = envelope;
    const before = first.envelope.stages.slice(0, place).map((stage) => stage.agent);
    const asked: Asked = {
      id: newId(),
      parentRunId: first.id,
      toolCallId: first.toolCallId,
      item: first.item,
      envelope,
      envelopeHash,
      title: agent,
      kind: 'chain',
      agent,
      queuedAt,
      parentChain: [...first.parentChain, ...before],
      stored: null,
    };
    this.queue(asked, place);
    return asked;
  }

  /** `place`: of a stage. */
  queue(asked: Asked, place?: number): void {
    const { id: runId, agent, kind, title, toolCallId, item, parentChain, envelope, envelopeHash, again } = asked;
    const { plan, workflow } = this.#parts;
    const usage = usageOf(ZERO_TALLY);
    workflow.subAgents.add({ runId, agent, kind, status: 'pending', outcome: null, durationMs: null, usage });
    void this.recorder(asked).record({
      type: 'run-queue',
      kind,
      depth: plan.depth + 1,
      name: agent,
      title,
      task: envelope.prompt,
      toolCallId,
      item,
      ...(place !== undefined && { place }),
      parentChain,
      traceId: traceIdOf(runId),
      envelope,
      envelopeHash,
      ...(again && { again }),
    });
  }

  #stepsOf({ toolCallId, item }: Asked): RunSteps | null {
    const { plan, history } = this.#parts;
    return plan.steps?.ofSubAgent(history.entries, toolCallId ?? '', item) ?? null;
  }

  async #execute(live: LiveRun, asked: Asked, { retry, queueDepth }: How, steps: RunSteps | null): Promise<Link> {
    const { workflow, plan, engine } = this.#parts;
    const { id: runId, agent, envelope, envelopeHash, kind, stored, parentChain } = asked;
    const attempt = (stored?.attempt ?? 0) + 1;
    workflow.subAgents.begun(runId, attempt);
    const run: RunPlan = {
      recorder: this.recorder(asked),
      kind,
      depth: plan.depth + 1,
      chain: parentChain,
      envelope,
      envelopeHash,
      attempt,
      retried: runId === retry,
      queueDepth,
      prior: [],
      left: [],
      steps,
      partner: partnerFor(engine, workflow, envelope),
      children: null,
      stored: await loadStored(engine.store, stored, []),
      queuedMs: Math.max(0, Date.now() - Date.parse(asked.queuedAt)),
    };
    workflow.subAgents.change(runId, { status: 'running', outcome: null });
    const ended = await executeRun(engine, workflow, live, run);
    const { outcome, durationMs, tally } = ended;
    if (outcome === 'interrupted') throw new TriadError('interrupted', ended.error?.message ?? 'Interrupted');
    workflow.subAgents.change(runId, { status: STATUS_OF[outcome], outcome, durationMs, usage: usageOf(tally) });
    return { ...ended, runId, agent };
  }

  async #refuse(asked: AskedSubAgent, decision: Decision | null): Promise<ChildReport> {
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
  async #neverStarted(asked: AskedSubAgent, error: unknown, how: How): Promise<ChildReport> {
    const info = errorInfo(error);
    if (info.code === 'interrupted') throw error;
    return this.#endNext(await this.#known(asked, how), 'cancelled', info, how);
  }
}

interface How {
  /** The run that is tried again; null where the chain goes on from where it was. */
  retry: string | null;
  queueDepth: number;
}

/** Of one that had ended, with its chain, before a restart. */
function storedEnd(asked: AskedSubAgent, stored: RunRow): Promise<ChainEnd> {
  return runChain(linkOf(stored), asked, async ({ place }) => linkOf(asked.stages[place - 1]!));
}

/** How it ended in an earlier attempt; null where it goes on, or is to be tried again. */
function endedBefore({ stored }: Asked, retry: string | null): Link | null {
  return stored && hasEnded(stored) && stored.id !== retry ? linkOf(stored) : null;
}

/** A stop of any of these ends the chain: of the sub-agent, and of the stage that its chain goes on with. */
function runIdsOf({ id, stages }: AskedSubAgent): string[] {
  const open = stages.filter((stage) => !hasEnded(stage));
  return [id, ...open.map((stage) => stage.id)];
}

/** Whoever has the whole workflow's questions answered is named by the reason. */
function decider(decision: Decision | null): string {
  if (decision?.ruleId?.startsWith('approve:')) return '';
  if (decision?.decidedBy === 'person') return ' by the person';
  return decision?.decidedBy === 'rule' ? ' by a rule' : ' by default';
}
