/** Queues, executes and ends the runs of one chain: its first run and the stages. */
import type { ErrorInfo } from '#contract/error.ts';
import { STATUS_OF } from '#domain/status-of.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import type { RunRow } from '#contract/view.ts';
import { errorInfo, TriadError } from '../../base/errors.ts';
import { newId, traceIdOf } from '../../base/ids.ts';
import { linkedController, stopOf } from '../../base/stop.ts';
import { usageOf } from '../../base/usage.ts';
import { hasEnded, type Link, linkOf, type NextStage } from '../flows/chain.ts';
import { partnerFor } from '../flows/partner.ts';
import { Recorder, type RunIds } from '#core/store/log/recorder.ts';
import type { Engine } from '../../runs/engine.ts';
import { executeRun } from '#core/runs/execute-run.ts';
import type { RunPlan } from '../../runs/run-plan.ts';
import type { LiveRun } from '#core/runs/workflow/run-tree.ts';
import { loadStored } from '../../runs/stored-run.ts';
import type { Workflow } from '#core/runs/workflow/workflow.ts';

interface ChainParts {
  engine: Engine;
  workflow: Workflow;
  ids: Pick<RunIds, 'conversationId' | 'workflowId'>;
  /** Depth of all runs of the chain. */
  depth: number;
}

/** The first run of a chain, or a stage. */
export interface ChainRun extends Pick<
  RunRow,
  | ('id' | 'parentRunId' | 'toolCallId' | 'item' | 'envelope' | 'envelopeHash' | 'title' | 'kind' | 'agent')
  | ('queuedAt' | 'again')
> {
  /** From the person down to this agent. */
  parentChain: string[];
  /** The row of an earlier attempt; null for none. */
  stored: RunRow | null;
}

/** The first run of a chain, with its stages. */
export interface FirstRun extends ChainRun {
  /** The stored stages of an earlier attempt, in order. */
  stages: readonly RunRow[];
}

export type UnstartedOutcome = 'cancelled' | 'rejected';

/** Options for the start of a chain. */
export interface ChainStart {
  /** Id of the run that is tried again; null if the chain continues. */
  retry: string | null;
  queueDepth: number;
}

export class ChainRuns {
  readonly #parts: ChainParts;

  constructor(parts: ChainParts) {
    this.#parts = parts;
  }

  createRecorder({
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

  /** `place`: number of a stage, from 1. */
  queueRun(asked: ChainRun, place?: number): void {
    const { id: runId, agent, kind, title, toolCallId, item, parentChain, envelope, envelopeHash } = asked;
    const { workflow, depth } = this.#parts;
    const usage = usageOf(ZERO_TALLY);
    workflow.subAgents.add({ runId, agent, kind, status: 'pending', outcome: null, durationMs: null, usage });
    void this.createRecorder(asked).record({
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
    });
  }

  /** Returns the stored stage, or queues a new one. A stage waits for no slot, so its wait is short. */
  findOrQueueStage(first: FirstRun, { place, envelope, envelopeHash }: NextStage): ChainRun {
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
    this.queueRun(asked, place);
    return asked;
  }

  /** Runs one stage. A stop before its start still records the stage, which shows where the chain ended. */
  async runStage(above: LiveRun, first: FirstRun, next: NextStage, retry: ChainStart['retry']): Promise<Link> {
    const { signal } = above.controller;
    const stop = signal.aborted ? stopOf(signal) : null;
    if (stop?.code === 'interrupted') throw stop;
    const stage = this.findOrQueueStage(first, next);
    const before = findEarlierEnd(stage, retry);
    if (before) return before;
    if (stop) return this.endUnstarted(stage, 'cancelled', errorInfo(stop), 0);
    const { id: runId, parentRunId, agent, title } = stage;
    const { controller, unlink } = linkedController(signal);
    const work = (live: LiveRun): Promise<Link> => this.executeRun(live, stage, { retry, queueDepth: 0 });
    return this.#parts.workflow.runs.live({ runId, parentRunId, agent, title, controller }, work).finally(unlink);
  }

  async executeRun(live: LiveRun, asked: ChainRun, { retry, queueDepth }: ChainStart): Promise<Link> {
    const { workflow, depth, engine } = this.#parts;
    const { id: runId, agent, envelope, envelopeHash, kind, stored, parentChain } = asked;
    const attempt = (stored?.attempt ?? 0) + 1;
    workflow.subAgents.begun(runId, attempt);
    const run: RunPlan = {
      recorder: this.createRecorder(asked),
      kind,
      depth,
      chain: parentChain,
      envelope,
      envelopeHash,
      attempt,
      retried: runId === retry,
      queueDepth,
      prior: [],
      stored: await loadStored(engine.store, stored, []),
      queuedMs: Math.max(0, Date.now() - Date.parse(asked.queuedAt)),
    };
    workflow.subAgents.change(runId, { status: 'running', outcome: null });
    const ended = await executeRun({ engine, workflow, live }, run, { partner: partnerFor, children: null });
    const { outcome, durationMs, tally } = ended;
    if (outcome === 'interrupted') throw new TriadError('interrupted', ended.error?.message ?? 'Interrupted');
    workflow.subAgents.change(runId, { status: STATUS_OF[outcome], outcome, durationMs, usage: usageOf(tally) });
    return { ...ended, runId, agent };
  }

  /** `queueDepth`: number of runs that waited with it. */
  endUnstarted(asked: ChainRun, outcome: UnstartedOutcome, error: ErrorInfo, queueDepth: number): Link {
    const { id: runId, agent, kind, stored } = asked;
    const { workflow } = this.#parts;
    const recorder = this.createRecorder(asked);
    const text = stored?.text ?? '';
    const durationMs = stored?.durationMs ?? 0;
    // A run of an earlier attempt keeps its slot, except a rejected copy in a fork. A stage has no slot.
    if (kind !== 'chain' && (outcome === 'rejected' || (stored?.attempt ?? 0) === 0))
      workflow.subAgents.slots.release();
    workflow.agents.unregister(runId);
    const { tally } = recorder;
    const depth = queueDepth > 0 ? { queueDepth } : {};
    void recorder.record({ type: 'run-end', outcome, text, error, durationMs, usage: usageOf(tally), ...depth });
    workflow.subAgents.change(runId, { status: STATUS_OF[outcome], outcome, durationMs });
    return { runId, agent, outcome, text, error, durationMs, tally };
  }
}

/** Returns the end of an earlier attempt; null for a run that continues or is tried again. */
export function findEarlierEnd({ stored }: ChainRun, retry: string | null): Link | null {
  return stored && hasEnded(stored) && stored.id !== retry ? linkOf(stored) : null;
}
