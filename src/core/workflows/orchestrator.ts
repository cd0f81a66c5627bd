/** Workflows: one at a time in a conversation, started by a message or continued, stopped as a whole or in part. */
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
import { workflowBudget } from '../budget/limits.ts';
import { loadSteps } from '../log/step-cache.ts';
import { failureContextOf } from '../log/failure-context.ts';
import type { Recorder } from '../log/recorder.ts';
import { providerTraits } from '../model/provider-traits.ts';
import type { Engine } from '../runs/engine.ts';
import { leadProvider } from '../runs/provider-choice.ts';
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
import { Workflow } from './workflow.ts';

/** How a workflow that has ended is continued. */
export interface Continuing {
  /** Who answers from now on; left out, it stays as it was. */
  approve?: ApprovePolicy | undefined;
  /** The outcomes from which it may be continued; left out, any. */
  from?: readonly Outcome[];
  /** The sub-agent to try again, as it was when that was decided: refused when it is not so any more. */
  retry?: RunRow;
  /** Called at once after its new start is recorded, before anything runs. */
  begun?: (workflow: Workflow) => void;
}

export class Orchestrator {
  readonly #engine: Engine;
  readonly #onChange: () => void;
  readonly #workflows = new Map<string, Workflow>();
  readonly #stops: Stops;
  /** The last work of each conversation's queue: what was sent last waits for all before it. */
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #exclusive = new Exclusive('This workflow is running already');
  #stopping: Stopped | null = null;
  /** Ends what is done in conversations in which nothing runs. */
  readonly #idle = new AbortController();
  /** Conversations in which nothing runs, and something is done that takes long. */
  readonly #held = new Set<string>();

  /** `onChange` is called when a workflow or a run came to life or ended. */
  constructor(engine: Engine, onChange: () => void) {
    this.#engine = engine;
    this.#stops = new Stops(engine, () => this.active());
    this.#onChange = onChange;
  }

  /** Workflows that run or wait, oldest first. */
  active(): Workflow[] {
    return [...this.#workflows.values()];
  }

  /** Whether something runs or waits in a conversation, or is done there while nothing runs. */
  isBusy(conversationId: string): boolean {
    return this.#held.has(conversationId) || this.active().some((one) => one.conversationId === conversationId);
  }

  /** Resolves when the message is stored; the work goes on by itself. */
  async send(
    conversation: ConversationRow,
    text: string,
    { approve, images, via, sentAs, chosen, begin }: Sending,
  ): Promise<Output<'message.send'>> {
    this.#refuseStart();
    refuseInTrash(conversation);
    await refuseMissingFolder(conversation);
    const agents = await this.#engine.agents.of(conversation.folder);
    // Told now rather than as a failed run: nothing starts without a provider. From then on it is known what it has.
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

  /** Starts a new one; resolves when that is stored, and the work goes on by itself. */
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

  /** Does `work` while nobody continues the workflow; rejects a concurrent call, and one for a workflow that runs (`conflict`). */
  whileEnded(workflowId: string, work: () => Promise<void>): Promise<void> {
    return this.#exclusive.run(workflowId, async () => {
      if (this.#workflows.has(workflowId)) throw new TriadError('conflict', 'This workflow is running already');
      await work();
    });
  }

  /**
   * Records what `begin` does while nothing runs or waits in a conversation, which is not in the trash (else `conflict`);
   * resolves when it is `stored`, for which a message that is sent meanwhile waits. What `isLong` keeps the conversation
   * busy until then. The signal aborts when the program ends.
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
    // Deleted for good: its workflows go after it, a few at a time.
    if (!conversation) throw new TriadError('not_found', `There is no workflow ${workflowId}`);
    refuseInTrash(conversation);
    await refuseMissingFolder(conversation);
    if (row.taken)
      throw new TriadError('conflict', 'This was taken over from another conversation: it goes on there alone');
    if (row.left)
      throw new TriadError('conflict', 'The lead is not told of this message any more: have it told again first');
    if (retry && runs.every((run) => !isAsSeen(run, retry)))
      throw new TriadError('conflict', 'This agent went on meanwhile');
    for (const { id } of runs) advanceIdsPast(id);
    const agents = await this.#engine.agents.of(conversation.folder);
    const limits = await limitsIn(this.#engine, conversation.folder);
    // The process may have died between the acceptance of a message and the queueing of its run.
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
      ...(row.again && { again: row.again }),
      steps: row.from ? await loadSteps(store, row.from) : null,
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

  /** Records the start and puts the workflow into its conversation's queue. `begun` is called between the two. */
  async #open(
    opening: Opening,
    begun?: (workflow: Workflow) => void,
  ): Promise<{ workflow: Workflow; queued: boolean; stored: Promise<unknown> }> {
    const { conversationId, attempt, envelope, envelopeHash, runs, images, again } = opening;
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
      const own = { images, again, steps: opening.steps ?? null };
      const lead = { envelope, envelopeHash, row, isFirst, ...own, ...parts };
      if (queued && row === null) this.#stops.queuedIds.add(workflow.id);
      // In the queue from now on, so that a stop finds it.
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

  /** Interrupts everything; resolves when nothing runs any more. What was open can be resumed later. */
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

  /** Throws `conflict` where the demo is the active provider and the work would ask another one. */
  refuseRealInDemo(provider: string): void {
    const { active } = this.#engine.settings.providers;
    if (!providerTraits(active).isScripted || providerTraits(provider).isScripted) return;
    throw new TriadError(
      'conflict',
      'The demo is on, and this would ask the real model: switch the provider in the settings first',
    );
  }

  /** Between two commits, as a conversation is deleted: what begins here is not in the trash, and keeps it out of there. */
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
      // Refused and never started ones gave their slot back.
      taken: children.filter((run) => run.attempt > 0 || run.outcome === null).length,
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
        const ended = 'recorder' in plan ? await runLead(this.#engine, workflow, live, { plan, lead: whole }) : null;
        // From here on there is nothing left to stop.
        this.#workflows.delete(workflow.id);
        // Stored before the next in line starts: its request is built from what is stored.
        if ('code' in plan) await recordEnd(workflow, recorder, { ...UNREADABLE, error: plan });
        else if (ended && ended.outcome !== 'interrupted') await recordEnd(workflow, recorder, ended);
        // Where the whole program ends, the sweep does it.
        else if (ended && !this.#stopping) await this.#interrupted(workflow, ended.error);
      });
    } finally {
      this.#stops.queuedIds.delete(workflow.id);
      this.#workflows.delete(workflow.id);
      this.#onChange();
    }
  }

  /**
   * One that was interrupted alone, of which nothing runs any more, ends as one does whose process has died. `error`: what
   * interrupted it, if it was not stopped.
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

/** What was stored before could not be read: nothing was done, and resuming tries again. */
const UNREADABLE = { outcome: 'interrupted', text: '', durationMs: 0 } as const;

/** What tells whether a run or a workflow went on since it was read. */
export type Seen = Pick<RunRow, 'id' | 'attempt' | 'outcome'>;

export function isAsSeen(now: Seen, seen: Seen): boolean {
  return now.id === seen.id && now.attempt === seen.attempt && now.outcome === seen.outcome;
}
