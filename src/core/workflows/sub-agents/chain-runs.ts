/** Queues, executes and ends the runs of one chain: a run that was asked for, and the stages that follow it. */
import type { ErrorInfo } from '#contract/error.ts';
import { STATUS_OF } from '#contract/status-of.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import type { RunRow } from '#contract/view.ts';
import { errorInfo, TriadError } from '../../base/errors.ts';
import { newId, traceIdOf } from '../../base/ids.ts';
import { linkedController, stopOf } from '../../base/stop.ts';
import { usageOf } from '../../base/usage.ts';
import { hasEnded, type Link, linkOf, type NextStage } from '../../flows/chain.ts';
import { partnerFor } from '../../flows/partner.ts';
import { Recorder, type RunIds } from '../../log/recorder.ts';
import type { RunSteps } from '../../log/step-cache.ts';
import type { Engine } from '../../runs/engine.ts';
import { executeRun } from '../../runs/run.ts';
import type { RunPlan } from '../../runs/run-plan.ts';
import type { LiveRun } from '../../runs/run-tree.ts';
import { loadStored } from '../../runs/stored-run.ts';
import type { Workflow } from '../workflow.ts';

interface ChainParts {
  engine: Engine;
  workflow: Workflow;
  ids: Pick<RunIds, 'conversationId' | 'workflowId'>;
  /** Of the first run and of its stages. */
  depth: number;
}

/** A run that was asked for, or that is a stage of one. */
export interface ChainRun extends Pick<
  RunRow,
  | ('id' | 'parentRunId' | 'toolCallId' | 'item' | 'envelope' | 'envelopeHash' | 'title' | 'kind' | 'agent')
  | ('queuedAt' | 'again')
> {
  /** From the person down to this agent. */
  parentChain: string[];
  /** What the store has of it from an earlier attempt; null where there was none. */
  stored: RunRow | null;
}

/** The first run of a chain. */
export interface FirstRun extends ChainRun {
  /** What the store has of the stages that follow it, in order. */
  stages: readonly RunRow[];
}

export type Unstarted = 'cancelled' | 'rejected';

/** How a chain goes on. */
export interface ChainStart {
  /** Id of the run that is tried again; null where the chain goes on from where it was. */
  retry: string | null;
  queueDepth: number;
}

export class ChainRuns {
  readonly #parts: ChainParts;

  constructor(parts: ChainParts) {
    this.#parts = parts;
  }

  recorder({
    id: runId,
    agent,
    parentRunId,
    stored,
  }: Pick<ChainRun, 'id' | 'agent' | 'parentRunId' | 'stored'>): Recorder {
    const { engine, workflow, ids } = this.#parts;
    return new Recorder(
      engine.log,
      engine.open,
      { ...ids, runId, parentRunId, agent },
      stored?.usage ?? ZERO_TALLY,
      workflow.record,
    );
  }

  /** `place`: of a stage. */
  queue(asked: ChainRun, place?: number): void {
    const { id: runId, agent, kind, title, toolCallId, item, parentChain, envelope, envelopeHash, again } = asked;
    const { workflow, depth } = this.#parts;
    const usage = usageOf(ZERO_TALLY);
    workflow.subAgents.add({ runId, agent, kind, status: 'pending', outcome: null, durationMs: null, usage });
    void this.recorder(asked).record({
      type: 'run-queue',
      kind,
      depth,
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

  /** The stage as it was left, or else queued now. It waits for nothing, so it never has waited long. */
  stage(first: FirstRun, { place, envelope, envelopeHash }: NextStage): ChainRun {
    const queuedAt = new Date().toISOString();
    const stored = first.stages[place - 1];
    if (stored) return { ...stored, envelope, queuedAt, stored };
    const { agent } = envelope;
    const before = first.envelope.stages.slice(0, place).map((stage) => stage.agent);
    const asked: ChainRun = {
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

  /** `steps`: those of the first run. One that is stopped before its start is queued and ended, so that a chain that did not come to its end says where. */
  async runStage(
    above: LiveRun,
    first: FirstRun,
    next: NextStage,
    { retry, steps }: Pick<ChainStart, 'retry'> & { steps: RunSteps | null },
  ): Promise<Link> {
    const { signal } = above.controller;
    const stop = signal.aborted ? stopOf(signal) : null;
    if (stop?.code === 'interrupted') throw stop;
    const stage = this.stage(first, next);
    const before = endedBefore(stage, retry);
    if (before) return before;
    if (stop) return this.endUnstarted(stage, 'cancelled', errorInfo(stop), 0);
    const { id: runId, parentRunId, agent, title } = stage;
    const { controller, unlink } = linkedController(signal);
    const work = (live: LiveRun): Promise<Link> =>
      this.execute(live, stage, { retry, queueDepth: 0 }, steps?.serving('chain', next.place) ?? null);
    return this.#parts.workflow.runs.live({ runId, parentRunId, agent, title, controller }, work).finally(unlink);
  }

  async execute(
    live: LiveRun,
    asked: ChainRun,
    { retry, queueDepth }: ChainStart,
    steps: RunSteps | null,
  ): Promise<Link> {
    const { workflow, depth, engine } = this.#parts;
    const { id: runId, agent, envelope, envelopeHash, kind, stored, parentChain } = asked;
    const attempt = (stored?.attempt ?? 0) + 1;
    workflow.subAgents.begun(runId, attempt);
    const run: RunPlan = {
      recorder: this.recorder(asked),
      kind,
      depth,
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

  /** `queueDepth`: how many waited with it. */
  endUnstarted(asked: ChainRun, outcome: Unstarted, error: ErrorInfo, queueDepth: number): Link {
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
}

/** How it ended in an earlier attempt; null where it goes on, or is to be tried again. */
export function endedBefore({ stored }: ChainRun, retry: string | null): Link | null {
  return stored && hasEnded(stored) && stored.id !== retry ? linkOf(stored) : null;
}
