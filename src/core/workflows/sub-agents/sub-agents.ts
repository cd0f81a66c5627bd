/** The sub-agents of one lead. All of them are ordinary runs: proposed, approved, queued, executed and reported in one way. */
import type { Envelope, RunKind } from '#contract/agent.ts';
import type { Approval, Decision, SpawnItem } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import { isSubAgent } from '#contract/flows/serving.ts';
import { DEPTH_REFUSAL, MAX_AGENT_DEPTH } from '#contract/limits.ts';
import type { Status } from '#contract/outcome.ts';
import { isSpawn, spawnItems } from '#contract/spawn-items.ts';
import type { RunRow } from '#contract/view.ts';
import { BackgroundReports, owesReport } from './background-reports.ts';
import type { FirstRun } from './chain-runs.ts';
import { SubAgentRuns } from './sub-agent-runs.ts';
import { EMPTY_REPORT } from './report.ts';
import { errorInfo, TriadError } from '../../base/errors.ts';
import { canonicalHash } from '../../base/hash.ts';
import { newId } from '../../base/ids.ts';
import { limitNotice } from '#core/runs/budget/limit-notices.ts';
import { chainOf, chainsIn, isLeft } from '../flows/chain.ts';
import { type Operation, questionOf } from './proposal.ts';
import { providerTraits } from '../../model/provider-traits.ts';
import type { LeadChildren, Run } from '#core/runs/run.ts';
import type { StopCounts } from '#core/runs/workflow/run-tree.ts';
import { isRaised, limitsOf } from '#core/runs/budget/limits.ts';
import { Stopped, stopOf } from '../../base/stop.ts';
import type { ChildReport, ChildRequest, ChildState, ListedAgent } from '../../tools/children.ts';
import { editWords } from '../../tools/edit-words.ts';
import type { Question } from '../../tools/question.ts';

type QueueEvent = Extract<DurableEvent, { type: 'run-queue' }>;

export class SubAgents implements LeadChildren {
  readonly #lead: Run;
  readonly #runs: SubAgentRuns;
  readonly #background: BackgroundReports;
  /** Proposed sub-agents, by run id. */
  readonly #asked: Map<string, FirstRun>;
  /** The queue events of the workflow, loaded for the first report of a copied sub-agent. */
  #queueEvents: Promise<QueueEvent[]> | null = null;

  constructor(lead: Run) {
    this.#lead = lead;
    this.#runs = new SubAgentRuns(lead);
    this.#background = new BackgroundReports(lead.signal);
    const { children } = lead.plan.stored;
    const chains = chainsIn(children);
    const own = children.filter(isSubAgent).map((row): [string, FirstRun] => {
      return [row.id, { ...row, stored: row, stages: chains.get(row.id) ?? [] }];
    });
    this.#asked = new Map(own);
    for (const asked of this.#asked.values()) if (isLeft(asked.stored!, asked.stages)) this.#runs.expect(asked);
  }

  get maxSubAgents(): number {
    return this.#lead.workflow.subAgents.slots.max;
  }

  isExhausted(): boolean {
    const { slots } = this.#lead.workflow.subAgents;
    const isOpen = this.#lead.workflow.subAgents
      .summaries()
      .some(({ outcome }) => outcome === null || outcome === 'interrupted');
    return slots.left === 0 && !isOpen && !this.#runs.areExpected;
  }

  agents(): ListedAgent[] {
    const { agents } = this.#lead.workflow;
    return agents.delegable().map((definition) => {
      const { name, description, input } = definition;
      const chain = agents.chainOf(definition);
      return {
        name,
        description,
        ...(input?.format === 'json' && { input_schema: input.schema ?? {} }),
        ...(chain.length > 0 && { chain }),
      };
    });
  }

  async propose(
    operation: Operation,
    toolCallId: string,
    requests: ChildRequest[],
    background = false,
  ): Promise<Question | null> {
    const { engine, workflow, plan } = this.#lead;
    if (plan.depth + 1 >= MAX_AGENT_DEPTH) throw new TriadError('depth_exceeded', DEPTH_REFUSAL);
    await this.#knowModels(requests);
    const all: FirstRun[] = [];
    const fresh: { item: number; request: ChildRequest; envelope: Envelope }[] = [];
    requests.forEach((request, index) => {
      // A run that was queued before a crash or in a fork is used again, with its slot.
      const before = this.#of(toolCallId).find((asked) => asked.item === index);
      if (before) all[index] = before;
      else
        fresh.push({
          item: index,
          request,
          envelope: engine.envelopes.child(request, plan.envelope, workflow.agents, workflow.limits()),
        });
    });
    workflow.subAgents.slots.reserve(fresh.length);
    for (const { item, request, envelope } of fresh) {
      const asked = this.#propose(operation, toolCallId, item, request, envelope);
      this.#runs.expect(asked);
      this.#runs.queue(asked);
      all[item] = asked;
    }
    const items = all.filter((asked) => !hasReport(asked)).map(itemOf);
    return items.length === 0 ? null : questionOf(operation, items, background);
  }

  /** Requests the lists of other providers before the names of their models are resolved. */
  async #knowModels(requests: readonly ChildRequest[]): Promise<void> {
    const { engine, workflow, plan } = this.#lead;
    const own = plan.envelope.provider;
    if (providerTraits(own).isScripted) return;
    const named = requests.map(
      ({ provider, agent }) => provider ?? (agent === null ? null : workflow.agents.lookup(agent)?.provider) ?? own,
    );
    for (const provider of new Set(named)) if (provider !== own) await engine.knowModels(provider);
  }

  async run(toolCallId: string, approval: Approval | null, wait: 'all' | 'first' | 'none'): Promise<ChildReport[]> {
    const subject = approval?.request.subject;
    if (subject && !isSpawn(subject)) throw new TriadError('internal', 'The approval is not one of sub-agents');
    const decided = this.#of(toolCallId).map((asked) => {
      const index = subject?.items.findIndex(({ runId }) => runId === asked.id) ?? -1;
      const item = subject?.items[index];
      const decision = approval?.decisions[index] ?? null;
      return { asked, item, decision };
    });
    this.#endRefused(decided);
    const all = decided.map((one) => ({ ...one, job: this.#runs.answered(one.asked, one.decision) }));
    const withEdits = (reports: ChildReport[]): Promise<ChildReport[]> =>
      Promise.all(
        reports.map(async (report, index) => {
          const { asked, item, decision } = all[index]!;
          const edits = item ? editWords(item.envelope, decision?.edited) : await this.#editsBefore(asked);
          return { ...report, edits };
        }),
      );
    // A rejected sub-agent has ended too, but the lead does not wait for it.
    const started = all.flatMap(({ decision, job }) => (decision?.allowed ? [job] : []));
    if (wait === 'all' || started.length < (wait === 'first' ? 2 : 1))
      return withEdits(await Promise.all(all.map(({ job }) => job)));
    if (wait === 'first') await Promise.race(started);
    const reports = await Promise.all(
      all.map(async ({ asked: { id: runId, envelope }, job }) => {
        const report = await Promise.race([job, Promise.resolve(null)]);
        if (report) return report;
        this.#background.track(job);
        return { ...EMPTY_REPORT, runId, agent: envelope.agent, status: this.#statusOf(runId), outcome: null };
      }),
    );
    return withEdits(reports);
  }

  /** Ends the workflow if the person cancels a rerun that they requested. The lead sends no request then. */
  #endRefused(decided: readonly { asked: FirstRun; decision: Decision | null }[]): void {
    const isRefused = decided.some(({ asked, decision }) => asked.again && decision && !decision.allowed);
    if (!isRefused || decided.some(({ decision }) => decision?.allowed)) return;
    this.#lead.workflow.runs.controller.abort(new Stopped('rejected'));
  }

  startsNothing(toolCallId: string): boolean {
    const all = this.#of(toolCallId);
    return all.length > 0 && all.every(hasReport);
  }

  list(): ChildState[] {
    const { workflow, plan } = this.#lead;
    const working = workflow.runs.childrenOf(plan.recorder.ids.runId);
    return working.map(({ runId, agent, title }) => ({ runId, agent, title, status: this.#statusOf(runId) }));
  }

  async terminate(runId: string): Promise<StopCounts> {
    const active = this.list();
    if (!active.some((child) => child.runId === runId)) {
      const ids = active.map((child) => `${child.runId} (${child.agent})`).join(', ');
      throw new TriadError('not_found', `No active sub-agent has the id "${runId}". Active are: ${ids || 'none'}`);
    }
    return (await this.#lead.workflow.runs.stop(runId, 'lead', () => 0)).counts;
  }

  async backgroundReports(wait: boolean): Promise<{ text: string; runIds: string[] } | null> {
    const reports = await this.#background.reports(wait);
    // The answer of the lead is final, so no further retry is accepted.
    if (wait && !reports) this.#lead.workflow.subAgents.refuseRetries();
    return reports;
  }

  async resumeBackground(): Promise<void> {
    const { engine, workflow, history, plan } = this.#lead;
    const goOn = new Set<string>();
    workflow.subAgents.endStopped();
    for (const first of this.#asked.values()) {
      const { stored: row, stages } = first;
      if (!row) continue;
      const own = await Promise.all([row, ...stages].map(({ id }) => engine.store.entriesOf(id)));
      if (!owesReport(row, own.flat(), history.entries)) continue;
      const asked = plan.stored.approvals.flatMap(({ request: { subject }, decisions }) =>
        spawnItems(subject).map((item, index) => ({ item, decision: decisions[index] ?? null })),
      );
      const found = asked.find(({ item }) => item.runId === row.id);
      if (!found && isLeft(row, stages)) continue;
      goOn.add(row.id);
      this.#background.track(this.#runs.answered(first, found?.decision ?? null));
    }
    const isOpen = ({ toolCallId }: RunRow): boolean =>
      !history.entries.some((entry) => entry.kind === 'tool' && entry.toolCallId === toolCallId);
    for (const row of workflow.subAgents.serveRetries((row) => this.#retry(row))) {
      // If its call is still open, that call resumes it.
      const goesOn = row.outcome === 'interrupted' && (goOn.has(chainOf(row)) || isOpen(row));
      if (!goesOn) this.#retry(row);
    }
  }

  /** Tries a sub-agent again. Returns false if the lead can receive no further report. */
  #retry(row: RunRow): boolean {
    const { workflow, plan, history, signal } = this.#lead;
    const bound = limitNotice(history.entries)?.bound;
    const own = workflow.budget.limitsOfRun(plan.recorder.ids.runId, limitsOf(plan.envelope));
    const isAtLimit = bound && !isRaised(bound, bound.of === 'run' ? own : workflow.budget.limits);
    const asked = this.#asked.get(chainOf(row));
    if (signal.aborted || isAtLimit || !asked) return false;
    this.#background.track(this.#runs.again(row, asked));
    return true;
  }

  async end(): Promise<void> {
    const { workflow, plan, signal } = this.#lead;
    workflow.subAgents.leadEnded();
    const mine = workflow.runs.childrenOf(plan.recorder.ids.runId);
    const stop = signal.aborted ? stopOf(signal) : null;
    const reason = stop?.spreads ? stop : new Stopped('parent');
    for (const run of mine) run.controller.abort(reason);
    await Promise.all(mine.map((run) => run.done));
    workflow.agents.cleanupTemporary();
    if (reason.code === 'interrupted') return;
    // Sub-agents whose call has no result end with their lead.
    this.#runs.endExpected(errorInfo(reason));
  }

  /** Returns the status of an active sub-agent. If its first run has completed, one of its stages runs. */
  #statusOf(runId: string): Status {
    const status = this.#lead.workflow.subAgents.get(runId)?.status ?? 'pending';
    return status === 'completed' ? 'running' : status;
  }

  /** Returns the sub-agents that a call has proposed, in order. */
  #of(toolCallId: string): FirstRun[] {
    const own = [...this.#asked.values()].filter((asked) => asked.toolCallId === toolCallId);
    return own.sort((a, b) => a.item - b.item);
  }

  /** Returns the edits of the person to a copied sub-agent: the difference between its queue event and its start event. */
  async #editsBefore({ id, stored }: FirstRun): Promise<string | null> {
    if (!stored?.copiedFrom) return null;
    this.#queueEvents ??= this.#loadQueueEvents();
    const queued = (await this.#queueEvents).find(({ runId }) => runId === id);
    return queued ? editWords(queued.envelope, stored.envelope) : null;
  }

  async #loadQueueEvents(): Promise<QueueEvent[]> {
    const { engine, workflow } = this.#lead;
    const row = await engine.store.workflow(workflow.id);
    if (!row) return [];
    const last = await engine.store.lastSeq(row.conversationId);
    const events = await engine.store.events(row.conversationId, row.firstSeq, last);
    return events.filter((event) => event.type === 'run-queue');
  }

  #propose(kind: RunKind, toolCallId: string, item: number, request: ChildRequest, envelope: Envelope): FirstRun {
    const { plan } = this.#lead;
    const { agent } = envelope;
    const asked: FirstRun = {
      id: newId(),
      parentRunId: plan.recorder.ids.runId,
      toolCallId,
      item,
      envelope,
      envelopeHash: canonicalHash(envelope),
      title: request.title || agent,
      kind,
      agent,
      queuedAt: new Date().toISOString(),
      parentChain: [...plan.chain, agent],
      stored: null,
      stages: [],
    };
    this.#asked.set(asked.id, asked);
    return asked;
  }
}

/** Returns whether the sub-agent and all stages of its chain have ended. */
function hasReport({ stored, stages }: FirstRun): boolean {
  return stored !== null && !isLeft(stored, stages);
}

/** Returns the item of a sub-agent in the question. */
function itemOf({ id: runId, title, envelope, envelopeHash: hash, again }: FirstRun): SpawnItem {
  return { runId, title, envelope, hash, ...(again && { again }) };
}
