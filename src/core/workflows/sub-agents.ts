/** Sub-agents of one lead: every one of them an ordinary run, proposed, approved, queued, run and reported on one path. */
import type { Envelope, RunKind } from '#contract/agent.ts';
import type { Approval, Decision, SpawnItem } from '#contract/approval.ts';
import { DEPTH_REFUSAL, MAX_AGENT_DEPTH } from '#contract/limits.ts';
import type { RunRow, StopReceipt } from '#contract/view.ts';
import { Background, owesReport } from './background.ts';
import { ChildJobs, type Known, type LeadParts } from './child-jobs.ts';
import { EMPTY_REPORT } from './child-report.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { newId, traceIdOf } from '../base/ids.ts';
import { limitTold } from '../budget/limit-words.ts';
import { type Operation, questionOf, temporary } from './proposal.ts';
import type { LeadChildren } from '../runs/run-plan.ts';
import { isRaised, limitsOf } from '../budget/spending.ts';
import { Stopped, stopOf } from '../base/stop.ts';
import type { ChildReport, ChildRequest, ChildState } from '../tools/children.ts';
import type { Question } from '../tools/question.ts';
import { usageOf, ZERO } from '../base/usage.ts';

export class SubAgents implements LeadChildren {
  readonly #parts: LeadParts;
  readonly #jobs: ChildJobs;
  readonly #background: Background;
  readonly #known: Map<string, Known>;

  constructor(parts: LeadParts) {
    this.#parts = parts;
    this.#jobs = new ChildJobs(parts);
    this.#background = new Background(parts.signal);
    this.#known = new Map(parts.plan.stored.children.map((row) => [row.id, { row, stored: row }]));
    for (const row of parts.plan.stored.children) {
      if (row.outcome === null && row.attempt === 0) this.#jobs.stoppable(row.id, row.agent);
      else if (row.outcome === 'interrupted') this.#jobs.stoppable(row.id, row.agent, row);
    }
  }

  agents(): { name: string; description: string }[] {
    return this.#parts.workflow.agents.delegable();
  }

  async propose(operation: Operation, toolCallId: string, requests: ChildRequest[]): Promise<Question> {
    const { engine, workflow, plan } = this.#parts;
    if (plan.depth + 1 >= MAX_AGENT_DEPTH) throw new TriadError('depth_exceeded', DEPTH_REFUSAL);
    const items: SpawnItem[] = [];
    const fresh: { item: number; request: ChildRequest; envelope: Envelope }[] = [];
    requests.forEach((request, index) => {
      // Queued before a crash, but not asked yet: the same run, with its slot.
      const before = [...this.#known.values()].find(({ row }) => row.toolCallId === toolCallId && row.item === index);
      if (before)
        items[index] = {
          runId: before.row.id,
          title: before.row.title,
          envelope: before.row.envelope,
          hash: before.row.envelopeHash,
        };
      else
        fresh.push({
          item: index,
          request,
          envelope: engine.envelopes.child(request, plan.envelope, workflow.agents),
        });
    });
    workflow.slots.reserve(fresh.length);
    for (const { item, request, envelope } of fresh)
      items[item] = this.#queue(operation, toolCallId, item, request, envelope);
    return questionOf(operation, items);
  }

  async run(approval: Approval, options: { waitAll: boolean }): Promise<ChildReport[]> {
    const { subject } = approval.request;
    if (subject.kind !== 'envelopes') throw new TriadError('internal', 'The approval is not one of sub-agents');
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
        if (job) this.#background.track(job);
        const { agent } = item.envelope;
        return { ...EMPTY_REPORT, runId: item.runId, agent, status: 'running' as const, outcome: null };
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
      throw new TriadError('not_found', `No active sub-agent has the id "${runId}". Active are: ${ids || 'none'}`);
    }
    return this.#parts.workflow.stop(runId, 'lead', () => 0);
  }

  async backgroundReports(wait: boolean): Promise<{ text: string; runIds: string[] } | null> {
    const reports = await this.#background.reports(wait);
    // The lead's answer is final: who comes now would work for nobody.
    if (wait && !reports) this.#parts.workflow.retry = null;
    return reports;
  }

  async resumeBackground(): Promise<void> {
    const { engine, workflow, history, plan } = this.#parts;
    const goOn = new Set<string>();
    for (const runId of workflow.stopped) workflow.unstarted.get(runId)?.();
    for (const row of plan.stored.children) {
      if (!owesReport(row, await engine.store.entriesOf(row.id), history.entries)) continue;
      const asked = plan.stored.approvals.flatMap(({ request: { subject }, decisions }) =>
        subject.kind === 'envelopes'
          ? subject.items.map((item, index) => ({ item, decision: decisions[index] ?? null }))
          : [],
      );
      const found = asked.find(({ item }) => item.runId === row.id);
      if (!found) continue;
      goOn.add(row.id);
      this.#background.track(this.#job(found.item, found.decision));
    }
    const isOpen = ({ toolCallId }: RunRow): boolean =>
      !history.entries.some((entry) => entry.kind === 'tool' && entry.toolCallId === toolCallId);
    for (const row of workflow.retries.values()) {
      // Where the call that asked for it is still open, that call goes on with it.
      const goesOn = row.outcome === 'interrupted' && (goOn.has(row.id) || isOpen(row));
      if (!goesOn) this.#retry(row);
    }
    workflow.retries.clear();
    workflow.retry = (row) => this.#retry(row);
  }

  /** False where the lead cannot be told of it any more. */
  #retry(row: RunRow): boolean {
    const { workflow, plan, history, signal } = this.#parts;
    const bound = limitTold(history.entries)?.bound;
    const own = workflow.raised.get(plan.recorder.ids.runId) ?? limitsOf(plan.envelope);
    const isAtLimit = bound && !isRaised(bound, bound.of === 'run' ? own : workflow.spending.limits);
    if (signal.aborted || isAtLimit) return false;
    this.#background.track(this.#jobs.again(row));
    return true;
  }

  async end(): Promise<void> {
    const { workflow, plan, signal } = this.#parts;
    workflow.retry = null;
    workflow.unstarted.clear();
    const mine = [...workflow.runs.values()].filter((run) => run.parentRunId === plan.recorder.ids.runId);
    const interrupted = signal.aborted && stopOf(signal).code === 'interrupted';
    const reason = interrupted ? stopOf(signal) : new Stopped('parent');
    for (const run of mine) run.controller.abort(reason);
    await Promise.all(mine.map((run) => run.done));
    if (interrupted) return;
    // Asked for, but their call was never settled: they end with their lead.
    for (const [runId, { row, stored }] of this.#known) {
      if (workflow.subAgents.get(runId)?.outcome !== null) continue;
      const recorder = this.#jobs.recorder(runId, row.agent, stored?.usage);
      this.#jobs.endUnstarted(recorder, 'cancelled', errorInfo(reason), stored);
    }
  }

  async #job(item: SpawnItem, decision: Decision | null): Promise<ChildReport> {
    const known = this.#known.get(item.runId);
    if (!known) throw new TriadError('internal', `The sub-agent ${item.runId} was never asked for`);
    return this.#jobs.answered(item, decision, known);
  }

  #queue(kind: RunKind, toolCallId: string, item: number, request: ChildRequest, envelope: Envelope): SpawnItem {
    const { workflow, plan } = this.#parts;
    const runId = newId();
    const hash = canonicalHash(envelope);
    const { agent } = envelope;
    const title = request.title || agent;
    const queuedAt = new Date().toISOString();
    const row = { id: runId, toolCallId, item, envelope, envelopeHash: hash, title, kind, agent, queuedAt };
    this.#known.set(runId, { row, stored: null });
    if (kind === 'spawn') workflow.agents.register(temporary(envelope), runId);
    const usage = usageOf(ZERO);
    workflow.subAgents.set(runId, {
      runId,
      agent,
      kind,
      status: 'pending',
      outcome: null,
      durationMs: null,
      usage,
    });
    this.#jobs.stoppable(runId, agent);
    void this.#jobs.recorder(runId, agent).record({
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
}
