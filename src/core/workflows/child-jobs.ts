/** What becomes of a sub-agent once it was answered: refused, stopped before its turn, or run; one end and one report each. */
import type { RunKind } from '#contract/agent.ts';
import { Envelope } from '#contract/agent.ts';
import type { Decision, SpawnItem } from '#contract/approval.ts';
import type { ErrorInfo } from '#contract/error.ts';
import type { SubAgentSummary } from '#contract/event.ts';
import type { Tally } from '#contract/outcome.ts';
import { STATUS_OF } from '#contract/status-of.ts';
import type { RunRow } from '#contract/view.ts';
import { EMPTY_REPORT, reportOf, reportOfRow } from './child-report.ts';
import type { Engine } from '../runs/engine.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import type { History } from '../log/history.ts';
import { Recorder } from '../log/recorder.ts';
import { type EndedRun, executeRun } from '../runs/run.ts';
import type { RunPlan } from '../runs/run-plan.ts';
import { linkedController, Stopped, stopOf } from '../base/stop.ts';
import { loadStored } from '../runs/stored-run.ts';
import type { ChildReport } from '../tools/children.ts';
import { usageOf, ZERO } from '../base/usage.ts';
import type { Workflow } from './workflow.ts';

/** What the sub-agents of one lead share with it. */
export interface LeadParts {
  engine: Engine;
  workflow: Workflow;
  /** The lead's. */
  plan: RunPlan;
  signal: AbortSignal;
  history: History;
}

/** A run of a lead that the store knows, or that was queued since. */
export interface Known {
  row: Pick<
    RunRow,
    'id' | 'toolCallId' | 'item' | 'envelope' | 'envelopeHash' | 'title' | 'kind' | 'agent' | 'queuedAt'
  >;
  stored: RunRow | null;
}

/** A run that may start: from its approved envelope, or from what an earlier attempt stored. */
interface Start {
  runId: string;
  agent: string;
  title: string;
  kind: RunKind;
  envelope: Envelope;
  envelopeHash: string;
  queuedAt: string;
  stored: RunRow | null;
  retried: boolean;
}

export class ChildJobs {
  readonly #parts: LeadParts;
  /** Sub-agents that a person stopped before they started. */
  readonly #stopped = new Map<string, ChildReport>();

  constructor(parts: LeadParts) {
    this.#parts = parts;
  }

  recorder(runId: string, agent: string, tally: Tally = ZERO): Recorder {
    const { engine, plan, workflow } = this.#parts;
    const { conversationId, workflowId, runId: parentRunId } = plan.recorder.ids;
    const ids = { conversationId, workflowId, runId, parentRunId, agent };
    return new Recorder(engine.log, engine.open, ids, tally, workflow);
  }

  /** Until its start a sub-agent can be ended by a stop alone. `row`: what an earlier attempt left. */
  stoppable(runId: string, agent: string, row: RunRow | null = null): void {
    const { unstarted } = this.#parts.workflow;
    unstarted.set(runId, () => {
      unstarted.delete(runId);
      const error = errorInfo(new Stopped('user'));
      const recorder = this.recorder(runId, agent, row?.usage);
      this.#stopped.set(runId, this.endUnstarted(recorder, 'cancelled', error, row));
    });
  }

  /** The same for a fresh one and for one that a restart interrupted. */
  async answered(item: SpawnItem, decision: Decision | null, known: Known): Promise<ChildReport> {
    const { workflow } = this.#parts;
    const { runId, title } = item;
    const { row, stored } = known;
    if (stored?.outcome && stored.outcome !== 'interrupted') return reportOfRow(stored);
    workflow.unstarted.delete(runId);
    const stopped = this.#stopped.get(runId);
    if (stopped) return stopped;
    const { agent } = item.envelope;
    try {
      if (!decision?.allowed) return this.#refuse(this.recorder(runId, agent), decision);
      const envelope = decision.edited === undefined ? item.envelope : Envelope.parse(decision.edited);
      const { kind, queuedAt } = row;
      return await this.#start({
        runId,
        agent,
        title,
        kind,
        envelope,
        envelopeHash: decision.hashAfter,
        queuedAt,
        stored,
        retried: false,
      });
    } finally {
      workflow.agents.unregister(runId);
    }
  }

  /** Another attempt at what an earlier one did not complete; its yes, its envelope and its slot still hold. */
  again(row: RunRow): Promise<ChildReport> {
    const { id: runId, agent, title, kind, envelope, envelopeHash } = row;
    this.#parts.workflow.unstarted.delete(runId);
    const queuedAt = new Date().toISOString();
    return this.#start({
      runId,
      agent,
      title,
      kind,
      envelope,
      envelopeHash,
      queuedAt,
      stored: row,
      retried: true,
    });
  }

  /** `row`: what an earlier attempt left, whose slot stays taken. */
  endUnstarted(
    recorder: Recorder,
    outcome: 'cancelled' | 'rejected',
    error: ErrorInfo,
    row: RunRow | null = null,
  ): ChildReport {
    const { runId, agent } = recorder.ids;
    const text = row?.text ?? '';
    const durationMs = row?.durationMs ?? 0;
    const { workflow } = this.#parts;
    if (!row || row.attempt === 0) workflow.slots.release();
    workflow.agents.unregister(runId);
    void recorder.record({
      type: 'run-end',
      outcome,
      text,
      error,
      durationMs,
      usage: usageOf(recorder.tally),
    });
    this.#summary(runId, { status: STATUS_OF[outcome], outcome, durationMs });
    const status = STATUS_OF[outcome];
    return { ...EMPTY_REPORT, runId, agent, status, outcome, report: text, error: error.message };
  }

  async #start(start: Start): Promise<ChildReport> {
    const { workflow, plan, engine, signal } = this.#parts;
    const { runId, agent, title, envelope, envelopeHash, kind, stored, retried } = start;
    const recorder = this.recorder(runId, agent, stored?.usage);
    const controller = linkedController(signal);
    const ids = { runId, parentRunId: plan.recorder.ids.runId, agent, title };
    return workflow.live({ ...ids, controller }, async (live) => {
      const release = await this.#admitted(runId, controller.signal).catch((error: unknown) =>
        this.#neverStarted(recorder, error, stored),
      );
      if (typeof release !== 'function') return release;
      const attempt = (stored?.attempt ?? 0) + 1;
      workflow.attempts.set(runId, attempt);
      try {
        const run: RunPlan = {
          recorder,
          kind,
          depth: plan.depth + 1,
          chain: [...plan.chain, agent],
          envelope,
          envelopeHash,
          attempt,
          retried,
          prior: [],
          children: null,
          stored: await loadStored(engine.store, stored, []),
          queuedMs: Math.max(0, Date.now() - Date.parse(start.queuedAt)),
        };
        this.#summary(runId, { status: 'running', outcome: null });
        return this.#reported(recorder, await executeRun(engine, workflow, live, run));
      } finally {
        release();
      }
    });
  }

  async #admitted(runId: string, signal: AbortSignal): Promise<() => void> {
    const { order, admission } = this.#parts.workflow;
    await order?.turnOf(runId, signal);
    return admission.acquire(signal);
  }

  #refuse(recorder: Recorder, decision: Decision | null): ChildReport {
    const { signal } = this.#parts;
    const cancelled = decision?.outcome === 'cancelled';
    const reason = decision?.reason ?? (cancelled ? 'Cancelled' : 'no reason given');
    const message = cancelled
      ? reason
      : `Rejected by ${decision?.decidedBy === 'person' ? 'the person' : decision?.decidedBy === 'rule' ? 'a rule' : 'default'}: ${reason}`;
    if (signal.aborted && stopOf(signal).code === 'interrupted') throw stopOf(signal);
    const code = cancelled ? 'cancelled' : 'not_allowed';
    return this.endUnstarted(recorder, cancelled ? 'cancelled' : 'rejected', { code, message });
  }

  /** Stopped while it waited for its turn. */
  #neverStarted(recorder: Recorder, error: unknown, row: RunRow | null): ChildReport {
    const info = errorInfo(error);
    if (info.code === 'interrupted') throw error;
    return this.endUnstarted(recorder, 'cancelled', info, row);
  }

  #reported(recorder: Recorder, ended: EndedRun): ChildReport {
    const { outcome, durationMs, tally } = ended;
    const { runId, agent } = recorder.ids;
    if (outcome === 'interrupted') throw new TriadError('interrupted', ended.error?.message ?? 'Interrupted');
    this.#summary(runId, { status: STATUS_OF[outcome], outcome, durationMs, usage: usageOf(tally) });
    return reportOf({ ...ended, runId, agent });
  }

  #summary(runId: string, change: Partial<SubAgentSummary>): void {
    const { subAgents, order } = this.#parts.workflow;
    const before = subAgents.get(runId);
    if (before) subAgents.set(runId, { ...before, ...change });
    order?.changed();
  }
}
