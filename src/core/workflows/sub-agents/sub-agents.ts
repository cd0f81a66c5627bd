/** Sub-agents of one lead: every one of them an ordinary run, proposed, approved, queued, run and reported on one path. */
import type { Envelope, RunKind } from '#contract/agent.ts';
import type { Approval, Decision, SpawnItem } from '#contract/approval.ts';
import { isSubAgent } from '#contract/flows/serving.ts';
import { DEPTH_REFUSAL, MAX_AGENT_DEPTH } from '#contract/limits.ts';
import type { Status } from '#contract/outcome.ts';
import { isSpawn, spawnItems } from '#contract/spawn-items.ts';
import type { RunRow } from '#contract/view.ts';
import { BackgroundReports, owesReport } from './background-reports.ts';
import type { FirstRun } from './chain-runs.ts';
import { type LeadParts, SubAgentRuns } from './sub-agent-runs.ts';
import { EMPTY_REPORT } from './report.ts';
import { reportOfTaken } from './taken-runs.ts';
import { errorInfo, TriadError } from '../../base/errors.ts';
import { canonicalHash } from '../../base/hash.ts';
import { newId } from '../../base/ids.ts';
import { limitNotice } from '../../budget/limit-notices.ts';
import { chainOf, chainsIn, isLeft } from '../../flows/chain.ts';
import { type Operation, questionOf } from './proposal.ts';
import { providerTraits } from '../../model/provider-traits.ts';
import type { FinishedRun } from '../../log/step-cache.ts';
import type { LeadChildren } from '../../runs/run-plan.ts';
import type { StopCounts } from '../../runs/run-tree.ts';
import { isRaised, limitsOf } from '../../budget/limits.ts';
import { Stopped, stopOf } from '../../base/stop.ts';
import type { ChildReport, ChildRequest, ChildState, ListedAgent } from '../../tools/children.ts';
import { editWords } from '../../tools/edit-words.ts';
import type { Question } from '../../tools/question.ts';

export class SubAgents implements LeadChildren {
  readonly #parts: LeadParts;
  readonly #runs: SubAgentRuns;
  readonly #background: BackgroundReports;
  /** By run id. */
  readonly #asked: Map<string, FirstRun>;
  /** Those that were taken from where this was forked, by run id. */
  readonly #taken = new Map<string, FinishedRun>();

  constructor(parts: LeadParts) {
    this.#parts = parts;
    this.#runs = new SubAgentRuns(parts);
    this.#background = new BackgroundReports(parts.signal);
    const { children } = parts.plan.stored;
    const chains = chainsIn(children);
    const own = children.filter(isSubAgent).map((row): [string, FirstRun] => {
      return [row.id, { ...row, stored: row, stages: chains.get(row.id) ?? [] }];
    });
    this.#asked = new Map(own);
    for (const asked of this.#asked.values()) if (isLeft(asked.stored!, asked.stages)) this.#runs.expect(asked);
  }

  get maxSubAgents(): number {
    return this.#parts.workflow.subAgents.slots.max;
  }

  isExhausted(): boolean {
    const { slots } = this.#parts.workflow.subAgents;
    const isOpen = this.#parts.workflow.subAgents
      .summaries()
      .some(({ outcome }) => outcome === null || outcome === 'interrupted');
    return slots.left === 0 && !isOpen && !this.#runs.areExpected;
  }

  agents(): ListedAgent[] {
    const { agents } = this.#parts.workflow;
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
    const { engine, workflow, plan } = this.#parts;
    if (plan.depth + 1 >= MAX_AGENT_DEPTH) throw new TriadError('depth_exceeded', DEPTH_REFUSAL);
    await this.#knowModels(requests);
    const all: FirstRun[] = [];
    const fresh: { item: number; request: ChildRequest; envelope: Envelope }[] = [];
    requests.forEach((request, index) => {
      // Queued before a crash, but not asked yet: the same run, with its slot.
      const before = this.#of(toolCallId).find((asked) => asked.item === index);
      if (before && !this.#isLost(before)) all[index] = before;
      else
        fresh.push({
          item: index,
          request,
          envelope:
            request.again?.envelope ??
            engine.envelopes.child(request, plan.envelope, workflow.agents, workflow.limits()),
        });
    });
    workflow.subAgents.slots.reserve(fresh.length);
    for (const { item, request, envelope } of fresh)
      all[item] = this.#propose(operation, toolCallId, item, request, envelope);
    const items = all.filter((asked) => !this.#take(asked)).map(itemOf);
    return items.length === 0 ? null : questionOf(operation, items, background);
  }

  /** Requests the lists of other providers before the names of their models are resolved. */
  async #knowModels(requests: readonly ChildRequest[]): Promise<void> {
    const { engine, workflow, plan } = this.#parts;
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
    const all = this.#of(toolCallId).map((asked) => {
      const index = subject?.items.findIndex(({ runId }) => runId === asked.id) ?? -1;
      const item = subject?.items[index];
      const decision = approval?.decisions[index] ?? null;
      const job = item ? this.#job(item, decision) : this.#reportOfTaken(asked);
      return { asked, item, decision, job };
    });
    const withEdits = (reports: ChildReport[]): ChildReport[] =>
      reports.map((report, index) => {
        const { item, decision } = all[index] ?? {};
        return item ? { ...report, edits: editWords(item.envelope, decision?.edited) } : report;
      });
    // A refused one has ended too, but it is not what the lead waits for.
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

  startsNothing(toolCallId: string): boolean {
    const all = this.#of(toolCallId);
    return all.length > 0 && all.every((asked) => this.#isTaken(asked));
  }

  list(): ChildState[] {
    const { workflow, plan } = this.#parts;
    const working = workflow.runs.childrenOf(plan.recorder.ids.runId);
    return working.map(({ runId, agent, title }) => ({ runId, agent, title, status: this.#statusOf(runId) }));
  }

  async terminate(runId: string): Promise<StopCounts> {
    const active = this.list();
    if (!active.some((child) => child.runId === runId)) {
      const ids = active.map((child) => `${child.runId} (${child.agent})`).join(', ');
      throw new TriadError('not_found', `No active sub-agent has the id "${runId}". Active are: ${ids || 'none'}`);
    }
    return (await this.#parts.workflow.runs.stop(runId, 'lead', () => 0)).counts;
  }

  async backgroundReports(wait: boolean): Promise<{ text: string; runIds: string[] } | null> {
    const reports = await this.#background.reports(wait);
    // The lead's answer is final: who comes now would work for nobody.
    if (wait && !reports) this.#parts.workflow.subAgents.refuseRetries();
    return reports;
  }

  async resumeBackground(): Promise<void> {
    const { engine, workflow, history, plan } = this.#parts;
    const goOn = new Set<string>();
    workflow.subAgents.endStopped();
    for (const { stored: row, stages } of this.#asked.values()) {
      if (!row) continue;
      const own = await Promise.all([row, ...stages].map(({ id }) => engine.store.entriesOf(id)));
      if (!owesReport(row, own.flat(), history.entries)) continue;
      const asked = plan.stored.approvals.flatMap(({ request: { subject }, decisions }) =>
        spawnItems(subject).map((item, index) => ({ item, decision: decisions[index] ?? null })),
      );
      const found = asked.find(({ item }) => item.runId === row.id);
      if (!found) continue;
      goOn.add(row.id);
      this.#background.track(this.#job(found.item, found.decision));
    }
    const isOpen = ({ toolCallId }: RunRow): boolean =>
      !history.entries.some((entry) => entry.kind === 'tool' && entry.toolCallId === toolCallId);
    for (const row of workflow.subAgents.serveRetries((row) => this.#retry(row))) {
      // Where the call that asked for it is still open, that call goes on with it.
      const goesOn = row.outcome === 'interrupted' && (goOn.has(chainOf(row)) || isOpen(row));
      if (!goesOn) this.#retry(row);
    }
  }

  /** False where the lead cannot be told of it any more. */
  #retry(row: RunRow): boolean {
    const { workflow, plan, history, signal } = this.#parts;
    const bound = limitNotice(history.entries)?.bound;
    const own = workflow.budget.limitsOfRun(plan.recorder.ids.runId, limitsOf(plan.envelope));
    const isAtLimit = bound && !isRaised(bound, bound.of === 'run' ? own : workflow.budget.limits);
    const asked = this.#asked.get(chainOf(row));
    if (signal.aborted || isAtLimit || !asked) return false;
    this.#background.track(this.#runs.again(row, asked));
    return true;
  }

  async end(): Promise<void> {
    const { workflow, plan, signal } = this.#parts;
    workflow.subAgents.leadEnded();
    const mine = workflow.runs.childrenOf(plan.recorder.ids.runId);
    const stop = signal.aborted ? stopOf(signal) : null;
    const reason = stop?.spreads ? stop : new Stopped('parent');
    for (const run of mine) run.controller.abort(reason);
    await Promise.all(mine.map((run) => run.done));
    workflow.agents.cleanupTemporary();
    if (reason.code === 'interrupted') return;
    // Asked for, but their call was never settled: they end with their lead.
    this.#runs.endExpected(errorInfo(reason));
  }

  /** Of one that works, or waits for that: where its own run has ended, a stage of it works. */
  #statusOf(runId: string): Status {
    const status = this.#parts.workflow.subAgents.get(runId)?.status ?? 'pending';
    return status === 'completed' ? 'running' : status;
  }

  /** What a call has asked for, in its order. */
  #of(toolCallId: string): FirstRun[] {
    const own = [...this.#asked.values()].filter((asked) => asked.toolCallId === toolCallId);
    return own.sort((a, b) => a.item - b.item);
  }

  #isTaken({ id, stored }: FirstRun): boolean {
    return this.#taken.has(id) || (Boolean(stored?.cached) && stored?.outcome === 'completed');
  }

  /** Whether it was done where this was forked, asked for with the same envelope in the same place: then nothing of it starts. */
  #take(asked: FirstRun): boolean {
    const found = this.#isTaken(asked) ? null : this.#found(asked);
    if (found) {
      this.#runs.take(asked, found);
      this.#taken.set(asked.id, found);
    } else if (!asked.stored) {
      this.#runs.expect(asked);
      this.#runs.queue(asked);
    }
    return this.#isTaken(asked);
  }

  #found({ toolCallId, item, stored, envelopeHash }: FirstRun): FinishedRun | null {
    const { plan, history } = this.#parts;
    if (stored && !stored.cached) return null;
    const hash = stored?.cached?.key ?? envelopeHash;
    return plan.steps?.finished(history.entries, toolCallId ?? '', item, hash) ?? null;
  }

  /** Whether a crash left a part of what was taken, and the rest is not there any more: it never ran, and another one takes its place. */
  #isLost(asked: FirstRun): boolean {
    if (!asked.stored?.cached || this.#isTaken(asked) || this.#found(asked)) return false;
    this.#asked.delete(asked.id);
    this.#runs.forget(asked);
    this.#parts.workflow.subAgents.slots.release();
    return true;
  }

  async #reportOfTaken(asked: FirstRun): Promise<ChildReport> {
    const found = this.#taken.get(asked.id);
    if (found) return reportOfTaken(found, asked.id);
    if (!this.#isTaken(asked)) throw new TriadError('internal', 'A sub-agent needs an approval');
    return this.#runs.answered(asked, null);
  }

  async #job(item: SpawnItem, decision: Decision | null): Promise<ChildReport> {
    const asked = this.#asked.get(item.runId);
    if (!asked) throw new TriadError('internal', `The sub-agent ${item.runId} was never asked for`);
    return this.#runs.answered(asked, decision);
  }

  #propose(kind: RunKind, toolCallId: string, item: number, request: ChildRequest, envelope: Envelope): FirstRun {
    const { plan } = this.#parts;
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
      ...(request.again && { again: request.again.of }),
      stored: null,
      stages: [],
    };
    this.#asked.set(asked.id, asked);
    return asked;
  }
}

/** As the question shows it. */
function itemOf({ id: runId, title, envelope, envelopeHash: hash, again }: FirstRun): SpawnItem {
  return { runId, title, envelope, hash, ...(again && { again }) };
}
