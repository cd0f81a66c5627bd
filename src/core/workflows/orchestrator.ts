/** Starts, continues and stops workflows, one at a time in each conversation. */
import type { ApprovePolicy } from '#contract/agent.ts';
import type { ErrorInfo } from '#contract/error.ts';
import { isReported, isSubAgent } from '#contract/flows/serving.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { Output } from '#contract/rpc.ts';
import type { ConversationRow, RunRow, StopReceipt, WorkflowRow } from '#contract/view.ts';
import type { OpenApprovals } from '../approvals/open-approvals.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { Exclusive } from '../base/exclusive.ts';
import { newId, advanceIdsPast } from '../base/ids.ts';
import { orStopped, Stopped, type StopKind, stopOf } from '../base/stop.ts';
import { titleOf } from '#contract/messages/short-text.ts';
import { workflowBudget } from '#core/runs/budget/limits.ts';
import { failureContextOf } from '#core/store/log/failure-context.ts';
import type { Recorder } from '#core/store/log/recorder.ts';
import { providerTraits } from '../model/provider-traits.ts';
import type { Engine } from '../runs/engine.ts';
import { leadProvider } from '#core/runs/envelopes/provider-choice.ts';
import {
  type Lead,
  leadEnvelope,
  leadNamed,
  leadRecorder,
  planOf,
  queueOf,
  recordEnd,
  recordWithdrawal,
} from './lead.ts';
import { runLead } from './lead-chain.ts';
import { withLentServers } from './lent-servers.ts';
import { FRESH, limitsIn, type Opening, startOf } from './opening.ts';
import { summariesOf, sweep } from './recovery.ts';
import { keepSent, type Sending } from './sent-images.ts';
import { Stops } from './stops.ts';
import { refuseInTrash, refuseMissingFolder } from './trash.ts';
import { Workflow } from '#core/runs/workflow/workflow.ts';

/** Options for continuing an ended workflow. */
export interface Continuing {
  /** The new approval policy; left out, it stays unchanged. */
  approve?: ApprovePolicy | undefined;
  /** Outcomes that can be continued; left out for any. */
  from?: readonly Outcome[];
  /** The sub-agent to try again, as it was read. Refused if it has changed since. */
  retry?: RunRow;
  /** Called synchronously after the new start is recorded, before any run starts. */
  begun?: (workflow: Workflow) => void;
}

export class Orchestrator {
  readonly #engine: Engine;
  readonly #onChange: () => void;
  readonly #workflows = new Map<string, Workflow>();
  readonly #stops: Stops;
  /** The last work in the queue of each conversation. A new message waits for it. */
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #exclusive = new Exclusive('This workflow is running already');
  #stopping: Stopped | null = null;
  /** Aborts work in idle conversations. */
  readonly #idle = new AbortController();
  /** Idle conversations with long work, such as a compaction. */
  readonly #held = new Set<string>();

  /** Calls `onChange` when a workflow or a run starts or ends. */
  constructor(engine: Engine, onChange: () => void) {
    this.#engine = engine;
    this.#stops = new Stops(engine, () => this.active());
    this.#onChange = onChange;
  }

  /** Returns the workflows that run or wait, oldest first. */
  active(): Workflow[] {
    return [...this.#workflows.values()];
  }

  /** Returns true if a workflow runs or waits in a conversation, or long work is done there. */
  isBusy(conversationId: string): boolean {
    return this.#held.has(conversationId) || this.active().some((one) => one.conversationId === conversationId);
  }

  /** Starts a workflow for a message. Resolves when the message is stored; the work continues in the background. */
  async send(
    conversation: ConversationRow,
    text: string,
    { approve, images, via, sentAs, chosen, begin }: Sending,
  ): Promise<Output<'message.send'>> {
    this.#refuseStart();
    refuseInTrash(conversation);
    await refuseMissingFolder(conversation);
    const agents = await this.#engine.agents.of(conversation.folder);
    // Without a provider, the message is refused here, before a run starts. This call also loads its list of models.
    await this.#engine.model(
      leadProvider(leadNamed(agents, conversation.agent), chosen, this.#engine.settings.providers.active),
    );
    const limits = await limitsIn(this.#engine, conversation.folder);
    const lead = await leadEnvelope(this.#engine, agents, conversation, text, { limits: limits(), chosen });
    const kept = await keepSent(this.#engine.outputs, conversation.id, images);
    await begin?.();
    const { workflow, queued } = await this.begin({
      ...FRESH,
      id: newId(),
      conversationId: conversation.id,
      leadRunId: newId(),
      prompt: text,
      approve,
      ...kept,
      ...(Object.keys(chosen).length > 0 ? { chosen } : {}),
      via,
      sentAs,
      agents,
      ...lead,
      limits,
      budget: workflowBudget(limits()),
    });
    const { untrusted } = agents;
    const left = untrusted.length > 0 ? { untrusted: [...untrusted] } : {};
    return { workflowId: workflow.id, runId: workflow.runs.leadRunId, queued, ...left };
  }

  /** Starts a new workflow. Resolves when it is stored; the work continues in the background. */
  async begin(opening: Opening): Promise<{ workflow: Workflow; queued: boolean }> {
    this.#refuseStart();
    await this.#engine.log.open(opening.conversationId);
    const { stored, ...begun } = await this.#open(opening);
    await stored;
    return begun;
  }

  /** Continues an interrupted workflow from what is stored. */
  resume(workflowId: string, approve?: ApprovePolicy): Promise<void> {
    return this.continue(workflowId, { approve, from: ['interrupted'] });
  }

  /** Continues a workflow that has ended; resolves when its new start is stored. */
  continue(workflowId: string, how: Continuing): Promise<void> {
    this.#refuseStart();
    return this.whileEnded(workflowId, () => this.#continue(workflowId, how));
  }

  /** Runs `work` while the workflow cannot be continued. Rejects with `conflict` if it runs, or for a concurrent call. */
  whileEnded(workflowId: string, work: () => Promise<void>): Promise<void> {
    return this.#exclusive.run(workflowId, async () => {
      if (this.#workflows.has(workflowId)) throw new TriadError('conflict', 'This workflow is running already');
      await work();
    });
  }

  /**
   * Runs `begin` in an idle conversation. Rejects with `conflict` if a workflow runs or waits, or the conversation is in the
   * trash. Resolves when its result is `stored`; messages that are sent meanwhile wait for that. `isLong`: the conversation
   * counts as busy until then. The signal aborts when the program ends.
   */
  async whileIdle(
    conversationId: string,
    begin: (signal: AbortSignal) => Promise<{ stored: Promise<unknown> }>,
    { isLong = false } = {},
  ): Promise<void> {
    this.#refuseStart();
    await this.#engine.log.open(conversationId);
    const { stored } = await this.#outsideTrash(conversationId, async () => {
      if (this.isBusy(conversationId))
        throw new TriadError('conflict', 'Something runs or waits in this conversation: stop it first');
      const { stored: work } = await begin(this.#idle.signal);
      if (isLong) this.#held.add(conversationId);
      const done = isLong ? work.finally(() => this.#held.delete(conversationId)) : work;
      this.#queue(conversationId, done);
      return { stored: done };
    });
    await stored;
  }

  async #continue(workflowId: string, { from, retry, begun, approve }: Continuing): Promise<void> {
    const { store, log } = this.#engine;
    const row = await store.workflow(workflowId);
    if (!row) throw new TriadError('not_found', `There is no workflow ${workflowId}`);
    if (row.outcome === null || (from && !from.includes(row.outcome))) throw notNow(row, from);
    await log.open(row.conversationId);
    const [conversation, runs, requests] = await Promise.all([
      store.conversation(row.conversationId),
      store.runsOf([row.id]),
      store.requestsOf(row.id),
    ]);
    // The conversation is deleted. Its workflows are deleted later, a few at a time.
    if (!conversation) throw new TriadError('not_found', `There is no workflow ${workflowId}`);
    refuseInTrash(conversation);
    await refuseMissingFolder(conversation);
    if (row.copiedFrom)
      throw new TriadError('conflict', 'This was taken over from another conversation: it goes on there alone');
    if (retry && runs.every((run) => !isAsSeen(run, retry)))
      throw new TriadError('conflict', 'This agent went on meanwhile');
    for (const { id } of runs) advanceIdsPast(id);
    const agents = await this.#engine.agents.of(conversation.folder);
    const limits = await limitsIn(this.#engine, conversation.folder);
    // The process may have ended after the message was accepted, before its run was queued.
    const lead =
      runs.find((run) => run.id === row.runId) ??
      (await leadEnvelope(this.#engine, agents, conversation, row.prompt, {
        limits: limits(),
        chosen: row.chosen ?? {},
      }));
    const { envelope, envelopeHash } = lead;
    this.refuseRealInDemo(envelope.provider);
    await this.#engine.model(envelope.provider);
    const opening: Opening = {
      id: row.id,
      conversationId: row.conversationId,
      leadRunId: row.runId,
      prompt: row.prompt,
      approve: approve ?? row.approve,
      ...(row.images && { images: row.images }),
      attempt: row.attempt + 1,
      agents,
      envelope,
      envelopeHash,
      limits,
      budget: row.budget ?? {},
      runs,
      tally: row.usage,
      workedMs: row.workedMs ?? 0,
      requests,
    };
    const { stored } = await this.#open(opening, (workflow) => {
      if (retry) workflow.subAgents.retryLater(retry);
      begun?.(workflow);
    });
    await stored;
  }

  /** Records the start, calls `begun`, and adds the workflow to the queue of its conversation. */
  async #open(
    opening: Opening,
    begun?: (workflow: Workflow) => void,
  ): Promise<{ workflow: Workflow; queued: boolean; stored: Promise<unknown> }> {
    const { conversationId, attempt, envelope, envelopeHash, runs, images } = opening;
    const workflow = this.#workflow(opening);
    const row = runs.find((run) => run.id === opening.leadRunId) ?? null;
    const recorder = leadRecorder(this.#engine, workflow, envelope.agent, row);
    return this.#outsideTrash(conversationId, () => {
      const queued = this.active().some((other) => other.conversationId === conversationId);
      const isFirst = this.#engine.log.isEmpty(conversationId);
      this.#workflows.set(workflow.id, workflow);
      const stored = Promise.all([
        recorder.record(startOf(opening)),
        ...(row ? [] : [recorder.record(queueOf(workflow, envelope, envelopeHash))]),
      ]);
      for (const notice of opening.notices ?? [])
        void recorder.record({ type: 'notice', level: 'warning', text: notice });
      begun?.(workflow);
      const parts = { startedAt: performance.now(), offered: opening.offered, children: runs.filter(isReported) };
      const lead = { envelope, envelopeHash, row, isFirst, images, ...parts };
      if (queued && row === null) this.#stops.queuedIds.add(workflow.id);
      // From here on, a stop finds the workflow in the queue.
      this.#enqueue(workflow, recorder, lead, attempt === 1 ? undefined : stored);
      return { workflow, queued, stored };
    });
  }

  stopWorkflow(workflowId: string, kind: StopKind, withdrawQueued = false): Promise<StopReceipt> {
    return this.#stops.stopWorkflow(workflowId, kind, withdrawQueued);
  }

  stopRun(runId: string, approvals: Pick<OpenApprovals, 'rejectSpawn'>): Promise<StopReceipt> {
    return this.#stops.stopRun(runId, approvals);
  }

  /** Interrupts all work, and resolves when nothing runs. Open workflows can be resumed later. */
  async interrupt(kind: 'shutdown' | 'failure'): Promise<void> {
    this.#stopping ??= new Stopped(kind);
    this.#idle.abort(this.#stopping);
    for (const { runs } of this.#workflows.values()) runs.controller.abort(this.#stopping);
    await Promise.allSettled(this.#queues.values());
  }

  #refuseStart(): void {
    if (this.#stopping) throw this.#stopping;
    this.#engine.log.refuseFullDisk();
  }

  /** Throws `conflict` if the demo is the active provider, and the work needs another one. */
  refuseRealInDemo(provider: string): void {
    const { active } = this.#engine.settings.providers;
    if (!providerTraits(active).isScripted || providerTraits(provider).isScripted) return;
    throw new TriadError(
      'conflict',
      'The demo is on, and this would ask the real model: switch the provider in the settings first',
    );
  }

  /** Runs `begin` between two commits, like a deletion, so that no work starts in a conversation in the trash. */
  #outsideTrash<T extends object>(conversationId: string, begin: () => T | Promise<T>): Promise<T> {
    const { store, log } = this.#engine;
    return log.exclusive(conversationId, async () => {
      const row = await store.conversation(conversationId);
      if (!row) throw new TriadError('not_found', `There is no conversation ${conversationId}`);
      refuseInTrash(row);
      return begin();
    });
  }

  #workflow(opening: Opening): Workflow {
    const { price, gate } = this.#engine;
    const { runs } = opening;
    const limits = opening.limits();
    const children = runs.filter(isSubAgent);
    return new Workflow({
      ...opening,
      title: titleOf(opening.prompt),
      maxSubAgents: limits.max_sub_agents,
      maxConcurrent: limits.max_concurrent,
      price,
      gate,
      subAgents: summariesOf(runs.filter(isReported)),
      // Rejected sub-agents that never started have released their slots.
      taken: children.filter((run) => run.outcome === null || (run.attempt > 0 && run.outcome !== 'rejected')).length,
      raised: runs.flatMap((run) => (run.limits ? [[run.id, run.limits] as const] : [])),
      said: runs.flatMap(({ id, said }) => (said ? [[id, said] as const] : [])),
      failureContexts: runs.map((run) => [run.id, failureContextOf(run)]),
    });
  }

  #enqueue(workflow: Workflow, recorder: Recorder, lead: Lead, ready?: Promise<unknown>): void {
    const before = this.#queues.get(workflow.conversationId);
    this.#queue(workflow.conversationId, this.#run(workflow, recorder, lead, Promise.all([before, ready])));
  }

  #queue(conversationId: string, work: Promise<unknown>): void {
    const last = Promise.allSettled([this.#queues.get(conversationId), work]).then(() => {
      if (this.#queues.get(conversationId) === last) this.#queues.delete(conversationId);
    });
    this.#queues.set(conversationId, last);
  }

  async #run(workflow: Workflow, recorder: Recorder, lead: Lead, before: Promise<unknown>): Promise<void> {
    const { controller, leadRunId } = workflow.runs;
    if (this.#stopping) controller.abort(this.#stopping);
    const run = {
      runId: leadRunId,
      parentRunId: null,
      agent: lead.envelope.agent,
      title: workflow.title,
      controller,
    };
    try {
      await workflow.runs.live(run, async (live) => {
        this.#onChange();
        await orStopped(controller.signal, before).catch(() => undefined);
        if (this.#stops.queuedIds.delete(workflow.id) && controller.signal.aborted) {
          if (stopOf(controller.signal).code === 'cancelled') {
            this.#workflows.delete(workflow.id);
            return recordWithdrawal(workflow, recorder);
          }
        }
        const whole = await withLentServers(this.#engine, workflow, recorder, lead);
        const plan = await planOf(this.#engine, workflow, recorder, whole).catch((error: unknown) => errorInfo(error));
        const ended =
          'recorder' in plan ? await runLead(this.#engine, workflow, live, { plan, lead: whole }).catch(notRun) : null;
        // From here on, there is nothing to stop.
        this.#workflows.delete(workflow.id);
        // Waits for the store, because the request of the next workflow is built from it.
        if ('code' in plan) await recordEnd(workflow, recorder, { ...UNREADABLE, error: plan });
        else if (ended && ended.outcome !== 'interrupted') await recordEnd(workflow, recorder, ended);
        // If the whole program ends, the next sweep does this.
        else if (ended && !this.#stopping) await this.#interrupted(workflow, ended.error);
      });
    } finally {
      this.#stops.queuedIds.delete(workflow.id);
      this.#workflows.delete(workflow.id);
      this.#onChange();
    }
  }

  /**
   * Ends a workflow that was interrupted alone, like the sweep does after a crash. `error`: cause of the interruption, if it
   * was not a stop.
   */
  async #interrupted({ id, runs: { controller } }: Workflow, error: ErrorInfo | null): Promise<void> {
    const { store, log, price } = this.#engine;
    await log.flush();
    const { code, message } = controller.signal.aborted || !error ? stopOf(controller.signal) : error;
    await sweep(store, log, price, { workflowId: id, error: { code, message } });
  }
}

function notNow({ outcome, status }: WorkflowRow, from: Continuing['from']): TriadError {
  const which =
    from?.[0] === 'interrupted' ? 'an interrupted workflow can be resumed' : 'a workflow that has ended can go on';
  return new TriadError('conflict', `Only ${which}; this one is ${outcome ?? status}`);
}

/** End of a lead after an error outside its run. Its workflow must not stay open. */
const notRun = (error: unknown) => ({ outcome: 'interrupted' as const, error: errorInfo(error) });

/** Error of a workflow whose stored rows could not be read. Nothing was done, and it can be resumed. */
const UNREADABLE = { outcome: 'interrupted', text: '', durationMs: 0 } as const;

/** Fields that change when a run or a workflow continues. */
export type Seen = Pick<RunRow, 'id' | 'attempt' | 'outcome'>;

export function isAsSeen(now: Seen, seen: Seen): boolean {
  return now.id === seen.id && now.attempt === seen.attempt && now.outcome === seen.outcome;
}
