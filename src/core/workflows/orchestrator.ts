/** Workflows: one at a time in a conversation, started by a message or resumed, stopped as a whole or in part. */
import type { ApprovePolicy, Budget } from '#contract/agent.ts';
import type { RequestUsage } from '#contract/event.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { Output } from '#contract/rpc.ts';
import type { ConversationRow, RunRow, StopReceipt, WorkflowRow } from '#contract/view.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { Claims } from '../base/claims.ts';
import type { Engine } from '../runs/engine.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { newId, newerThan } from '../base/ids.ts';
import { type Lead, leadEnvelope, leadRecorder, planOf, queueOf, recordEnd } from './lead.ts';
import { DEMO } from '../model/models.ts';
import { originOf } from '../log/origin.ts';
import type { Recorder } from '../log/recorder.ts';
import { summariesOf } from './recovery.ts';
import { executeRun } from '../runs/run.ts';
import { workflowBudget } from '../budget/spending.ts';
import { orStopped, Stopped } from '../base/stop.ts';
import { titleOf } from '../base/text.ts';
import { refuseInTrash } from './trash.ts';
import { ZERO } from '../base/usage.ts';
import { Workflow } from './workflow.ts';

/** How a workflow that has ended goes on. */
export interface TakingUp {
  /** Who answers from now on; left out, it stays as it was. */
  approve?: ApprovePolicy | undefined;
  /** The outcomes from which it may; left out, any. */
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
  /** The end of each conversation's line: what was sent last waits for all before it. */
  readonly #lines = new Map<string, Promise<unknown>>();
  readonly #claims = new Claims('This workflow is running already');
  #stopping: Stopped | null = null;

  /** `onChange` is called when a workflow or a run came to life or ended. */
  constructor(engine: Engine, onChange: () => void) {
    this.#engine = engine;
    this.#onChange = onChange;
  }

  /** Workflows that run or wait, oldest first. */
  active(): Workflow[] {
    return [...this.#workflows.values()];
  }

  /** Resolves when the message is stored; the work goes on by itself. */
  async send(conversation: ConversationRow, text: string, approve: ApprovePolicy): Promise<Output<'message.send'>> {
    this.#refuseWhenStopping();
    refuseInTrash(conversation);
    const { log } = this.#engine;
    const agents = await this.#engine.agents.of(conversation.folder);
    const { envelope, envelopeHash } = leadEnvelope(this.#engine, agents, conversation, text);
    // Told now rather than as a failed run: nothing starts without a provider.
    await this.#engine.model(envelope.provider);
    await log.open(conversation.id);
    const budget = workflowBudget(this.#engine.settings.limits);
    const workflow = this.#workflow({
      id: newId(),
      conversationId: conversation.id,
      leadRunId: newId(),
      title: titleOf(text),
      approve,
      agents,
      runs: [],
      tally: ZERO,
      budget,
      workedMs: 0,
      requests: [],
    });
    const recorder = leadRecorder(this.#engine, workflow, envelope.agent, null);
    const { queued, stored } = await this.#outsideTrash(conversation.id, () => {
      const queued = this.active().some((other) => other.conversationId === conversation.id);
      const isFirst = log.isEmpty(conversation.id);
      this.#workflows.set(workflow.id, workflow);
      const stored = Promise.all([
        recorder.record({ type: 'workflow-start', prompt: text, approve, attempt: 1, ...told(budget) }),
        recorder.record(queueOf(workflow, envelope, envelopeHash)),
      ]);
      // In the line from now on, so that a stop finds it. The lead's first request waits for no disk: if the message
      // cannot be stored, all work is stopped.
      this.#enqueue(workflow, recorder, {
        envelope,
        envelopeHash,
        row: null,
        children: [],
        isFirst,
        startedAt: performance.now(),
      });
      return { queued, stored };
    });
    await stored;
    const { untrusted } = agents;
    const left = untrusted.length > 0 ? { untrusted: [...untrusted] } : {};
    return { workflowId: workflow.id, runId: workflow.leadRunId, queued, ...left };
  }

  /** Goes on with an interrupted workflow from what is stored. */
  resume(workflowId: string, approve?: ApprovePolicy): Promise<void> {
    return this.takeUp(workflowId, { approve, from: ['interrupted'] });
  }

  /** Goes on with a workflow that has ended; resolves when its new start is stored. */
  takeUp(workflowId: string, how: TakingUp): Promise<void> {
    this.#refuseWhenStopping();
    return this.whileEnded(workflowId, () => this.#takeUp(workflowId, how));
  }

  /** Of two clients that change an ended workflow at the same time one is told that the other did. */
  whileEnded(workflowId: string, work: () => Promise<void>): Promise<void> {
    return this.#claims.hold(workflowId, async () => {
      if (this.#workflows.has(workflowId)) throw new TriadError('conflict', 'This workflow is running already');
      await work();
    });
  }

  async #takeUp(workflowId: string, { from, retry, begun, ...how }: TakingUp): Promise<void> {
    const { store, log } = this.#engine;
    const row = await store.workflow(workflowId);
    if (!row) throw new TriadError('not_found', `There is no workflow ${workflowId}`);
    if (row.outcome === null || (from && !from.includes(row.outcome))) throw notNow(row, from);
    const approve = how.approve ?? row.approve;
    await log.open(row.conversationId);
    const [conversation, runs, requests] = await Promise.all([
      store.conversation(row.conversationId),
      store.runsOf([row.id]),
      store.requestsOf(row.id),
    ]);
    // Deleted for good: its workflows go after it, a few at a time.
    if (!conversation) throw new TriadError('not_found', `There is no workflow ${workflowId}`);
    refuseInTrash(conversation);
    if (retry && runs.every((run) => !isAsSeen(run, retry)))
      throw new TriadError('conflict', 'This agent went on meanwhile');
    for (const { id } of runs) newerThan(id);
    const lead = runs.find((run) => run.id === row.runId) ?? null;
    const agents = await this.#engine.agents.of(conversation.folder);
    // The process may have died between the acceptance of a message and the queueing of its run.
    const { envelope, envelopeHash } = lead ?? leadEnvelope(this.#engine, agents, conversation, row.prompt);
    this.refuseRealInDemo(envelope.provider);
    await this.#engine.model(envelope.provider);
    const budget = row.budget ?? {};
    const workflow = this.#workflow({
      ...row,
      approve,
      leadRunId: row.runId,
      title: titleOf(row.prompt),
      runs,
      tally: row.usage,
      agents,
      budget,
      workedMs: row.workedMs ?? 0,
      requests,
    });
    const recorder = leadRecorder(this.#engine, workflow, envelope.agent, lead);
    const attempt = row.attempt + 1;
    const { stored } = await this.#outsideTrash(row.conversationId, () => {
      this.#workflows.set(row.id, workflow);
      const stored = Promise.all([
        recorder.record({ type: 'workflow-start', prompt: row.prompt, approve, attempt, ...told(budget) }),
        ...(lead ? [] : [recorder.record(queueOf(workflow, envelope, envelopeHash))]),
      ]);
      if (retry) workflow.retries.set(retry.id, retry);
      begun?.(workflow);
      const children = runs.filter((run) => run.parentRunId !== null);
      const goingOn = { envelope, envelopeHash, row: lead, children, isFirst: false };
      this.#enqueue(workflow, recorder, { ...goingOn, startedAt: performance.now() }, stored);
      return { stored };
    });
    await stored;
  }

  async stopWorkflow(workflowId: string, kind: 'user' | 'output'): Promise<StopReceipt> {
    const workflow = this.#workflows.get(workflowId);
    if (!workflow) throw new TriadError('conflict', 'This workflow has ended already');
    return workflow.stop(workflow.leadRunId, kind, (runIds) => this.#questionsOf(runIds));
  }

  /** Stops one run and what it started; one that still waits for a yes is answered no. */
  async stopRun(runId: string): Promise<StopReceipt> {
    const workflow = this.active().find(({ runs }) => runs.has(runId));
    if (workflow) return workflow.stop(runId, 'user', (runIds) => this.#questionsOf(runIds));
    const question = this.#engine.gate.questionOf(runId);
    if (question && !question.answered) {
      const reason = 'Stopped by the person before it started';
      await this.#engine.gate.decide(question.approvalId, question.item, { kind: 'reject', reason });
      return { agents: 1, requests: 0, tools: 0, approvals: 1, left: 0 };
    }
    // Approved, but not started yet (others of its batch are still asked about, or its lead waits): it never will.
    if (this.active().some((owner) => owner.stopUnstarted(runId)))
      return { agents: 1, requests: 0, tools: 0, approvals: 0, left: 0 };
    throw new TriadError('conflict', 'This agent has ended already');
  }

  /** Interrupts everything; resolves when nothing runs any more. What was open can be resumed later. */
  async interrupt(kind: 'shutdown' | 'failure'): Promise<void> {
    this.#stopping ??= new Stopped(kind);
    for (const workflow of this.#workflows.values()) workflow.controller.abort(this.#stopping);
    await Promise.allSettled(this.#lines.values());
  }

  #refuseWhenStopping(): void {
    if (this.#stopping) throw this.#stopping;
  }

  /** What the person is told is the demo asks nobody else. */
  refuseRealInDemo(provider: string): void {
    if (this.#engine.settings.providers.active !== DEMO || provider === DEMO) return;
    throw new TriadError(
      'conflict',
      'The demo is on, and this would ask the real model: switch the provider in the settings first',
    );
  }

  /** Between two commits, as a conversation is deleted: what begins here is not in the trash, and keeps it out of there. */
  #outsideTrash<T extends object>(conversationId: string, begin: () => T): Promise<T> {
    const { store, log } = this.#engine;
    return log.exclusive(conversationId, async () => {
      const row = await store.conversation(conversationId);
      if (!row) throw new TriadError('not_found', `There is no conversation ${conversationId}`);
      refuseInTrash(row);
      return begin();
    });
  }

  #questionsOf(runIds: readonly string[]): number {
    return this.#engine.gate.pending().filter(({ request }) => runIds.includes(request.runId)).length;
  }

  #workflow(parts: {
    id: string;
    conversationId: string;
    leadRunId: string;
    title: string;
    approve: ApprovePolicy;
    agents: AgentRegistry;
    runs: readonly RunRow[];
    tally: Workflow['tally'];
    budget: Budget;
    workedMs: number;
    requests: readonly (RequestUsage & { runId: string })[];
  }): Workflow {
    const { price, settings } = this.#engine;
    const { limits } = settings;
    const { budget, workedMs, requests, runs } = parts;
    const children = runs.filter((run) => run.parentRunId !== null);
    return new Workflow({
      ...parts,
      maxSubAgents: limits.max_sub_agents,
      maxConcurrent: limits.max_concurrent,
      subAgents: summariesOf(children),
      // Refused and never started ones gave their slot back.
      taken: children.filter((run) => run.attempt > 0 || run.outcome === null).length,
      spending: { limits: budget, workedMs, requests, price },
      raised: new Map(runs.flatMap((run) => (run.limits ? [[run.id, run.limits] as const] : []))),
      origins: new Map(runs.map((run) => [run.id, originOf(run)])),
    });
  }

  #enqueue(workflow: Workflow, recorder: Recorder, lead: Lead, ready?: Promise<unknown>): void {
    const before = this.#lines.get(workflow.conversationId) ?? Promise.resolve();
    const work = this.#run(workflow, recorder, lead, Promise.all([before, ready]));
    const line = Promise.allSettled([before, work]).then(() => {
      if (this.#lines.get(workflow.conversationId) === line) this.#lines.delete(workflow.conversationId);
    });
    this.#lines.set(workflow.conversationId, line);
  }

  async #run(workflow: Workflow, recorder: Recorder, lead: Lead, before: Promise<unknown>): Promise<void> {
    const { controller } = workflow;
    if (this.#stopping) controller.abort(this.#stopping);
    const run = {
      runId: workflow.leadRunId,
      parentRunId: null,
      agent: lead.envelope.agent,
      title: workflow.title,
      controller,
    };
    try {
      await workflow.live(run, async (live) => {
        this.#onChange();
        await orStopped(controller.signal, before).catch(() => undefined);
        const plan = await planOf(this.#engine, workflow, recorder, lead).catch((error: unknown) => errorInfo(error));
        const ended = 'recorder' in plan ? await executeRun(this.#engine, workflow, live, plan) : null;
        // From here on there is nothing left to stop.
        this.#workflows.delete(workflow.id);
        // Stored before the next in line starts: its request is built from what is stored.
        if ('code' in plan) await recordEnd(workflow, recorder, { ...UNREADABLE, error: plan });
        else if (ended && ended.outcome !== 'interrupted') await recordEnd(workflow, recorder, ended);
      });
    } finally {
      this.#workflows.delete(workflow.id);
      this.#onChange();
    }
  }
}

function notNow({ outcome, status }: WorkflowRow, from: TakingUp['from']): TriadError {
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

/** Left out where nothing is bounded. */
function told(budget: Budget): { budget?: Budget } {
  return Object.keys(budget).length > 0 ? { budget } : {};
}
