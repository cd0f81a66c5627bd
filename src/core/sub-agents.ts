/** Sub-agents of one lead: every one of them an ordinary run, proposed, approved, queued, run and reported on one path. */
import type { RunKind } from '#contract/agent.ts';
import type { Approval, Decision, SpawnItem } from '#contract/approval.ts';
import { DEPTH_REFUSAL, MAX_AGENT_DEPTH } from '#contract/limits.ts';
import { Envelope } from '#contract/agent.ts';
import type { Tally } from '#contract/outcome.ts';
import { STATUS_OF } from '#contract/status-of.ts';
import type { RunRow, StopReceipt } from '#contract/view.ts';
import { EMPTY_REPORT, reportOf, reportOfRow } from './child-report.ts';
import type { Engine } from './engine.ts';
import { errorInfo, TriadError } from './errors.ts';
import { canonicalHash } from './hash.ts';
import type { History } from './history.ts';
import { newId, traceIdOf } from './ids.ts';
import { type Operation, questionOf, temporary } from './proposal.ts';
import { Recorder } from './recorder.ts';
import { type EndedRun, executeRun, type LeadChildren, type RunPlan } from './run.ts';
import { linkedController, orStopped, Stopped, stopOf } from './stop.ts';
import { loadStored } from './stored-run.ts';
import type { ChildReport, ChildRequest, ChildState } from './tools/children.ts';
import type { Question } from './tools/question.ts';
import { usageOf, ZERO } from './usage.ts';
import type { Workflow } from './workflow.ts';

interface Parts {
  engine: Engine;
  workflow: Workflow;
  /** The lead's. */
  plan: RunPlan;
  signal: AbortSignal;
  history: History;
}

export class SubAgents implements LeadChildren {
  readonly #parts: Parts;
  /** Runs of this lead that the store knows, or that were queued since. */
  readonly #known: Map<
    string,
    {
      row: Pick<
        RunRow,
        'id' | 'toolCallId' | 'item' | 'envelope' | 'envelopeHash' | 'title' | 'kind' | 'agent' | 'queuedAt'
      >;
      stored: RunRow | null;
    }
  >;
  /** Sub-agents whose call was answered before they ended. */
  readonly #background = new Map<string, Promise<ChildReport>>();
  readonly #ended: ChildReport[] = [];
  /** Sub-agents that a person stopped before they started. */
  readonly #stopped = new Map<string, ChildReport>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#known = new Map(parts.plan.stored.children.map((row) => [row.id, { row, stored: row }]));
    for (const row of parts.plan.stored.children) {
      if (row.outcome === null && row.attempt === 0) this.#stoppable(row.id, row.agent);
    }
  }

  agents(): { name: string; description: string }[] {
    return this.#parts.engine.registry.delegable();
  }

  async propose(operation: Operation, toolCallId: string, requests: ChildRequest[]): Promise<Question> {
    const { engine, workflow, plan } = this.#parts;
    if (plan.depth + 1 >= MAX_AGENT_DEPTH) throw new TriadError('depth_exceeded', DEPTH_REFUSAL);
    const items: SpawnItem[] = [];
    const fresh: { item: number; request: ChildRequest; envelope: Envelope }[] = [];
    requests.forEach((request, index) => {
      // Queued before a crash, but not asked yet: the same run, with its slot.
      const before = [...this.#known.values()].find(
        ({ row }) => row.toolCallId === toolCallId && row.item === index,
      );
      if (before)
        items[index] = {
          runId: before.row.id,
          title: before.row.title,
          envelope: before.row.envelope,
          hash: before.row.envelopeHash,
        };
      else fresh.push({ item: index, request, envelope: engine.envelopes.child(request, plan.envelope) });
    });
    workflow.slots.reserve(fresh.length);
    for (const { item, request, envelope } of fresh)
      items[item] = this.#queue(operation, toolCallId, item, request, envelope);
    return questionOf(operation, items);
  }

  async run(approval: Approval, options: { waitAll: boolean }): Promise<ChildReport[]> {
    const { subject } = approval.request;
    if (subject.kind !== 'envelopes')
      throw new TriadError('internal', 'The approval is not one of sub-agents');
    const jobs = subject.items.map((item, index) => this.#job(item, approval.decisions[index] ?? null));
    if (options.waitAll || jobs.length < 2) return Promise.all(jobs);
    // A refused one has ended too, but it is not what the lead waits for.
    const started = jobs.filter((_, index) => approval.decisions[index]?.allowed);
    await Promise.race(started.length > 0 ? started : jobs);
    return Promise.all(
      subject.items.map(async (item, index) => {
        const job = jobs[index];
        const report = await Promise.race([job, Promise.resolve(null)]);
        if (report) return report;
        this.#track(item.runId, job);
        return {
          ...EMPTY_REPORT,
          runId: item.runId,
          agent: item.envelope.agent,
          status: 'running' as const,
          outcome: null,
        };
      }),
    );
  }

  list(): ChildState[] {
    return [...this.#parts.workflow.runs.values()]
      .filter((run) => run.parentRunId === this.#parts.plan.recorder.ids.runId)
      .map((run) => ({
        runId: run.runId,
        agent: run.agent,
        title: run.title,
        status: this.#parts.workflow.subAgents.get(run.runId)?.status ?? 'pending',
      }));
  }

  async terminate(runId: string): Promise<StopReceipt> {
    const active = this.list();
    if (!active.some((child) => child.runId === runId)) {
      const ids = active.map((child) => `${child.runId} (${child.agent})`).join(', ');
      throw new TriadError(
        'not_found',
        `No active sub-agent has the id "${runId}". Active are: ${ids || 'none'}`,
      );
    }
    return this.#parts.workflow.stop(runId, 'lead', () => 0);
  }

  async backgroundReports(wait: boolean): Promise<{ text: string; runIds: string[] } | null> {
    // Those that ended a moment ago are handed over now, without waiting.
    await Promise.resolve();
    while (wait && this.#ended.length === 0 && this.#background.size > 0) {
      await orStopped(this.#parts.signal, Promise.race(this.#background.values()));
    }
    const reports = this.#ended.splice(0);
    if (reports.length === 0) return null;
    const text = reports.map(
      (report) =>
        `Report of the sub-agent ${report.agent} (${report.runId}), outcome ${report.outcome}:\n\n${report.report || report.error || ''}`,
    );
    return { text: text.join('\n\n---\n\n'), runIds: reports.map((report) => report.runId) };
  }

  /** After a restart: sub-agents that were working in the background go on there. */
  resumeBackground(): void {
    const { entries } = this.#parts.history;
    const delivered = new Set(
      entries.flatMap((entry) => (entry.kind === 'user' ? (entry.reportsOf ?? []) : [])),
    );
    const left = entries.flatMap((entry) =>
      entry.kind === 'tool' && Array.isArray(entry.metadata['background'])
        ? entry.metadata['background'].map(String)
        : [],
    );
    for (const runId of left) {
      if (delivered.has(runId)) continue;
      for (const approval of this.#parts.plan.stored.approvals) {
        const { subject } = approval.request;
        const index =
          subject.kind === 'envelopes' ? subject.items.findIndex((item) => item.runId === runId) : -1;
        const item = subject.kind === 'envelopes' ? subject.items[index] : undefined;
        if (item) this.#track(item.runId, this.#job(item, approval.decisions[index] ?? null));
      }
    }
  }

  /** The lead has ended: nothing of it may go on. */
  async end(): Promise<void> {
    const { workflow, plan, signal } = this.#parts;
    const mine = [...workflow.runs.values()].filter((run) => run.parentRunId === plan.recorder.ids.runId);
    const interrupted = signal.aborted && stopOf(signal).code === 'interrupted';
    const reason = interrupted ? stopOf(signal) : new Stopped('parent');
    for (const run of mine) run.controller.abort(reason);
    await Promise.all(mine.map((run) => run.done));
    if (interrupted) return;
    // Asked for, but their call was never settled: they end with their lead.
    for (const [runId, { row }] of this.#known) {
      if (workflow.subAgents.get(runId)?.outcome !== null) continue;
      this.#endUnstarted(this.#recorder(runId, row.agent, ZERO), 'cancelled', errorInfo(reason), row.agent);
    }
  }

  #track(runId: string, job: Promise<ChildReport> | undefined): void {
    if (!job) return;
    const tracked = job.then((report) => {
      this.#background.delete(runId);
      this.#ended.push(report);
      return report;
    });
    tracked.catch(() => this.#background.delete(runId));
    this.#background.set(runId, tracked);
  }

  #recorder(runId: string, agent: string, tally: Tally): Recorder {
    const { engine, plan, workflow } = this.#parts;
    const { conversationId, workflowId, runId: parentRunId } = plan.recorder.ids;
    return new Recorder(
      engine.log,
      engine.open,
      { conversationId, workflowId, runId, parentRunId, agent },
      tally,
      workflow,
    );
  }

  #queue(
    kind: RunKind,
    toolCallId: string,
    item: number,
    request: ChildRequest,
    envelope: Envelope,
  ): SpawnItem {
    const { engine, workflow, plan } = this.#parts;
    const runId = newId();
    const hash = canonicalHash(envelope);
    const { agent } = envelope;
    const title = request.title || agent;
    const row = {
      id: runId,
      toolCallId,
      item,
      envelope,
      envelopeHash: hash,
      title,
      kind,
      agent,
      queuedAt: new Date().toISOString(),
    };
    this.#known.set(runId, { row, stored: null });
    if (kind === 'spawn') engine.registry.register(temporary(envelope), runId);
    workflow.subAgents.set(runId, {
      runId,
      agent,
      kind,
      status: 'pending',
      outcome: null,
      durationMs: null,
      usage: usageOf(ZERO),
    });
    this.#stoppable(runId, agent);
    void this.#recorder(runId, agent, ZERO).record({
      type: 'run-queue',
      kind,
      depth: plan.depth + 1,
      name: agent,
      title,
      task: envelope.prompt,
      toolCallId,
      item,
      parentChain: [...plan.chain, agent],
      traceId: traceIdOf(runId),
      envelope,
      envelopeHash: hash,
    });
    return { runId, title, envelope, hash };
  }

  /** From its queueing to its start a sub-agent can be ended by a stop alone. */
  #stoppable(runId: string, agent: string): void {
    this.#parts.workflow.unstarted.set(runId, () => {
      this.#parts.workflow.unstarted.delete(runId);
      const reason = errorInfo(new Stopped('user'));
      const recorder = this.#recorder(runId, agent, ZERO);
      this.#stopped.set(runId, this.#endUnstarted(recorder, 'cancelled', reason, agent));
    });
  }

  /** What becomes of one answered item; the same for a fresh one and for one that a restart interrupted. */
  async #job(item: SpawnItem, decision: Decision | null): Promise<ChildReport> {
    const { workflow, plan, engine } = this.#parts;
    const known = this.#known.get(item.runId);
    const stored = known?.stored ?? null;
    if (stored?.outcome && stored.outcome !== 'interrupted') return reportOfRow(stored);
    workflow.unstarted.delete(item.runId);
    const stopped = this.#stopped.get(item.runId);
    if (stopped) return stopped;
    const recorder = this.#recorder(item.runId, item.envelope.agent, stored?.usage ?? ZERO);
    try {
      if (!decision?.allowed) return this.#refuse(recorder, item, decision);
      const envelope = decision.edited === undefined ? item.envelope : Envelope.parse(decision.edited);
      const ids = {
        runId: item.runId,
        parentRunId: plan.recorder.ids.runId,
        agent: item.envelope.agent,
        title: item.title,
      };
      const controller = linkedController(this.#parts.signal);
      return await workflow.live({ ...ids, controller }, async (live) => {
        const queuedAt = Date.parse(known?.row.queuedAt ?? decision.at);
        const release = await workflow.admission
          .acquire(controller.signal)
          .catch((error: unknown) => this.#neverStarted(recorder, error));
        if (typeof release !== 'function') return release;
        try {
          const run: RunPlan = {
            recorder,
            depth: plan.depth + 1,
            chain: [...plan.chain, item.envelope.agent],
            envelope,
            envelopeHash: decision.hashAfter,
            attempt: (stored?.attempt ?? 0) + 1,
            stored: await loadStored(engine.store, stored, []),
            prior: [],
            children: null,
            queuedMs: Math.max(0, Date.now() - queuedAt),
          };
          this.#summary(item.runId, { status: 'running' });
          return this.#reported(recorder, await executeRun(engine, workflow, live, run));
        } finally {
          release();
        }
      });
    } finally {
      engine.registry.unregister(item.runId);
    }
  }

  #refuse(recorder: Recorder, item: SpawnItem, decision: Decision | null): ChildReport {
    const cancelled = decision?.outcome === 'cancelled';
    const reason = decision?.reason ?? (cancelled ? 'Cancelled' : 'no reason given');
    const message = cancelled
      ? reason
      : `Rejected by ${decision?.decidedBy === 'person' ? 'the person' : decision?.decidedBy === 'rule' ? 'a rule' : 'default'}: ${reason}`;
    if (this.#parts.signal.aborted && stopOf(this.#parts.signal).code === 'interrupted')
      throw stopOf(this.#parts.signal);
    return this.#endUnstarted(
      recorder,
      cancelled ? 'cancelled' : 'rejected',
      { code: cancelled ? 'cancelled' : 'not_allowed', message },
      item.envelope.agent,
    );
  }

  /** Stopped while it waited for its turn. */
  #neverStarted(recorder: Recorder, error: unknown): ChildReport {
    const info = errorInfo(error);
    if (info.code === 'interrupted') throw error;
    return this.#endUnstarted(recorder, 'cancelled', info, recorder.ids.agent);
  }

  #endUnstarted(
    recorder: Recorder,
    outcome: 'cancelled' | 'rejected',
    error: ({ code: 'cancelled' | 'not_allowed' } & { message: string }) | ReturnType<typeof errorInfo>,
    agent: string,
  ): ChildReport {
    this.#parts.workflow.slots.release();
    void recorder.record({
      type: 'run-end',
      outcome,
      text: '',
      error,
      durationMs: 0,
      usage: usageOf(recorder.tally),
    });
    this.#summary(recorder.ids.runId, { status: STATUS_OF[outcome], outcome, durationMs: 0 });
    return {
      ...EMPTY_REPORT,
      runId: recorder.ids.runId,
      agent,
      status: STATUS_OF[outcome],
      outcome,
      error: error.message,
    };
  }

  #reported(recorder: Recorder, ended: EndedRun): ChildReport {
    const { outcome, durationMs, tally } = ended;
    if (outcome === 'interrupted') throw new TriadError('interrupted', ended.error?.message ?? 'Interrupted');
    this.#summary(recorder.ids.runId, {
      status: STATUS_OF[outcome],
      outcome,
      durationMs,
      usage: usageOf(tally),
    });
    return reportOf({ ...ended, runId: recorder.ids.runId, agent: recorder.ids.agent });
  }

  #summary(runId: string, change: Partial<Parameters<Workflow['subAgents']['set']>[1]>): void {
    const before = this.#parts.workflow.subAgents.get(runId);
    if (before) this.#parts.workflow.subAgents.set(runId, { ...before, ...change });
  }
}
