/** What becomes of a sub-agent once its question is answered: refused, stopped before its turn, or run; one end and one report each. */
import { Envelope } from '#contract/agent.ts';
import type { Decision } from '#contract/approval.ts';
import type { ErrorInfo } from '#contract/error.ts';
import type { Tally } from '#contract/outcome.ts';
import { STATUS_OF } from '#contract/status-of.ts';
import type { RunRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import { temporary } from './proposal.ts';
import { EMPTY_REPORT, reportOf, reportOfRow } from './report.ts';
import type { Engine } from '../../runs/engine.ts';
import { errorInfo, TriadError } from '../../base/errors.ts';
import { partnerFor } from '../../flows/partner.ts';
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

/** A sub-agent that its lead has asked for. */
export interface AskedSubAgent extends Pick<
  RunRow,
  'id' | 'toolCallId' | 'item' | 'envelope' | 'envelopeHash' | 'title' | 'kind' | 'agent' | 'queuedAt'
> {
  /** What the store has of it from an earlier attempt of the workflow; null where this attempt asked for it. */
  stored: RunRow | null;
}

export class SubAgentRuns {
  readonly #parts: LeadParts;
  /** Sub-agents that a person stopped before they started. */
  readonly #stopped = new Map<string, ChildReport>();

  constructor(parts: LeadParts) {
    this.#parts = parts;
  }

  recorder(runId: string, agent: string, tally: Tally = ZERO_TALLY): Recorder {
    const { engine, plan, workflow } = this.#parts;
    const { conversationId, workflowId, runId: parentRunId } = plan.recorder.ids;
    const ids = { conversationId, workflowId, runId, parentRunId, agent };
    return new Recorder(engine.log, engine.open, ids, tally, workflow.record);
  }

  /** It was asked for, or an earlier attempt left it: until its start it can be ended by a stop alone. */
  expect(asked: AskedSubAgent): void {
    const { id: runId, agent, stored } = asked;
    this.#register(asked);
    this.#parts.workflow.subAgents.waits(runId, () => {
      const error = errorInfo(new Stopped('user'));
      const recorder = this.recorder(runId, agent, stored?.usage);
      this.#stopped.set(runId, this.endUnstarted(recorder, 'cancelled', error, stored));
    });
  }

  /** The same for a fresh one and for one that a restart interrupted. */
  async answered(asked: AskedSubAgent, decision: Decision | null): Promise<ChildReport> {
    const { workflow } = this.#parts;
    const { id: runId, agent, stored } = asked;
    if (stored?.outcome && stored.outcome !== 'interrupted') return reportOfRow(stored);
    workflow.subAgents.waitsNoMore(runId);
    const stopped = this.#stopped.get(runId);
    if (stopped) return stopped;
    if (!decision?.allowed) return this.#refuse(this.recorder(runId, agent), decision);
    const envelope = decision.edited === undefined ? asked.envelope : Envelope.parse(decision.edited);
    return this.#start({ ...asked, envelope, envelopeHash: decision.hashAfter }, false);
  }

  /** Another attempt at what an earlier one did not complete; its yes, its envelope and its slot still hold. */
  again(row: RunRow): Promise<ChildReport> {
    this.#parts.workflow.subAgents.waitsNoMore(row.id);
    return this.#start({ ...row, queuedAt: new Date().toISOString(), stored: row }, true);
  }

  /** `row`: what an earlier attempt left, whose slot stays taken. `queueDepth`: how many waited with it. */
  endUnstarted(
    recorder: Recorder,
    outcome: 'cancelled' | 'rejected',
    error: ErrorInfo,
    row: RunRow | null = null,
    queueDepth = 0,
  ): ChildReport {
    const { runId, agent } = recorder.ids;
    const text = row?.text ?? '';
    const durationMs = row?.durationMs ?? 0;
    const { workflow } = this.#parts;
    if (!row || row.attempt === 0) workflow.subAgents.slots.release();
    workflow.agents.unregister(runId);
    void recorder.record({
      type: 'run-end',
      outcome,
      text,
      error,
      durationMs,
      usage: usageOf(recorder.tally),
      ...(queueDepth > 0 ? { queueDepth } : {}),
    });
    workflow.subAgents.change(runId, { status: STATUS_OF[outcome], outcome, durationMs });
    const status = STATUS_OF[outcome];
    return { ...EMPTY_REPORT, runId, agent, status, outcome, report: text, error: error.message };
  }

  async #start(asked: AskedSubAgent, retried: boolean): Promise<ChildReport> {
    const { workflow, plan, signal } = this.#parts;
    const { id: runId, agent, title, stored } = asked;
    const recorder = this.recorder(runId, agent, stored?.usage);
    this.#register(asked);
    const { controller, unlink } = linkedController(signal);
    const ids = { runId, parentRunId: plan.recorder.ids.runId, agent, title };
    const work = async (live: LiveRun): Promise<ChildReport> => {
      const { queueDepth, turn } = workflow.subAgents.admit(runId, controller.signal);
      const leave = await turn.catch((error: unknown) => this.#neverStarted(recorder, error, stored, queueDepth));
      if (typeof leave !== 'function') return leave;
      try {
        return await this.#execute(live, recorder, asked, { retried, queueDepth });
      } finally {
        leave();
      }
    };
    return workflow.runs.live({ ...ids, controller }, work).finally(() => {
      unlink();
      workflow.agents.unregister(runId);
    });
  }

  /** A temporary agent is an agent of its workflow from its question to its end, as what was approved of it. */
  #register({ id, kind, envelope }: AskedSubAgent): void {
    if (kind === 'spawn') this.#parts.workflow.agents.register(temporary(envelope), id);
  }

  async #execute(
    live: LiveRun,
    recorder: Recorder,
    asked: AskedSubAgent,
    how: Pick<RunPlan, 'retried' | 'queueDepth'>,
  ): Promise<ChildReport> {
    const { workflow, plan, engine } = this.#parts;
    const { id: runId, agent, envelope, envelopeHash, kind, stored } = asked;
    const attempt = (stored?.attempt ?? 0) + 1;
    workflow.subAgents.begun(runId, attempt);
    const run: RunPlan = {
      recorder,
      kind,
      depth: plan.depth + 1,
      chain: [...plan.chain, agent],
      envelope,
      envelopeHash,
      attempt,
      ...how,
      prior: [],
      left: [],
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
    return reportOf({ ...ended, runId, agent });
  }

  #refuse(recorder: Recorder, decision: Decision | null): ChildReport {
    const { signal } = this.#parts;
    const cancelled = decision?.outcome === 'cancelled';
    const reason = decision?.reason ?? (cancelled ? 'Cancelled' : 'no reason given');
    const message = cancelled ? reason : `Rejected${decider(decision)}: ${reason}`;
    if (signal.aborted && stopOf(signal).code === 'interrupted') throw stopOf(signal);
    const code = cancelled ? 'cancelled' : 'not_allowed';
    return this.endUnstarted(recorder, cancelled ? 'cancelled' : 'rejected', { code, message });
  }

  /** Stopped while it waited for its turn. */
  #neverStarted(recorder: Recorder, error: unknown, row: RunRow | null, queueDepth: number): ChildReport {
    const info = errorInfo(error);
    if (info.code === 'interrupted') throw error;
    return this.endUnstarted(recorder, 'cancelled', info, row, queueDepth);
  }
}

/** Whoever has the whole workflow's questions answered is named by the reason. */
function decider(decision: Decision | null): string {
  if (decision?.ruleId?.startsWith('approve:')) return '';
  if (decision?.decidedBy === 'person') return ' by the person';
  return decision?.decidedBy === 'rule' ? ' by a rule' : ' by default';
}
