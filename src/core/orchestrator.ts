/** Workflows: one at a time in a conversation, started by a message or resumed, stopped as a whole or in part. */
import type { ApprovePolicy, Envelope } from '#contract/agent.ts';
import type { DurableEvent } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { ConversationRow, RunRow, StopReceipt } from '#contract/view.ts';
import type { Engine } from './engine.ts';
import { errorInfo, TriadError } from './errors.ts';
import { canonicalHash } from './hash.ts';
import { newId, traceIdOf } from './ids.ts';
import { Recorder } from './recorder.ts';
import { summariesOf } from './recovery.ts';
import { type EndedRun, executeRun, type RunPlan } from './run.ts';
import { orStopped, Stopped } from './stop.ts';
import { loadStored } from './stored-run.ts';
import { SubAgents } from './sub-agents.ts';
import { titleOf } from './text.ts';
import { usageOf, ZERO } from './usage.ts';
import { Workflow } from './workflow.ts';

export class Orchestrator {
  readonly #engine: Engine;
  readonly #onChange: () => void;
  readonly #workflows = new Map<string, Workflow>();
  /** The end of each conversation's line: what was sent last waits for all before it. */
  readonly #lines = new Map<string, Promise<unknown>>();
  readonly #resuming = new Set<string>();
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
  async send(
    conversation: ConversationRow,
    text: string,
    approve: ApprovePolicy,
  ): Promise<{ workflowId: string; runId: string; queued: boolean }> {
    this.#refuseWhenStopping();
    const { log } = this.#engine;
    const { envelope, envelopeHash } = this.#leadOf(conversation, text);
    // Told now rather than as a failed run: nothing starts without a provider.
    await this.#engine.model();
    await log.open(conversation.id);
    const workflow = this.#workflow({
      id: newId(),
      conversationId: conversation.id,
      leadRunId: newId(),
      title: titleOf(text),
      approve,
      runs: [],
      tally: ZERO,
    });
    const recorder = this.#recorder(workflow, envelope.agent, null);
    const queued =
      this.#workflows.size > 0 &&
      [...this.#workflows.values()].some((other) => other.conversationId === conversation.id);
    this.#workflows.set(workflow.id, workflow);
    const stored = Promise.all([
      recorder.record({ type: 'workflow-start', prompt: text, approve, attempt: 1 }),
      recorder.record(queueOf(workflow, envelope, envelopeHash)),
    ]);
    // In the line from now on, so that a stop finds it; it starts when it is stored.
    this.#enqueue(workflow, recorder, {
      envelope,
      envelopeHash,
      row: null,
      children: [],
      startedAt: Date.now(),
      stored,
    });
    await stored;
    return { workflowId: workflow.id, runId: workflow.leadRunId, queued };
  }

  /** Goes on with an interrupted workflow from what is stored. */
  async resume(workflowId: string, approve?: ApprovePolicy): Promise<void> {
    this.#refuseWhenStopping();
    if (this.#workflows.has(workflowId) || this.#resuming.has(workflowId)) {
      throw new TriadError('conflict', 'This workflow is running already');
    }
    // Held while the row is read: of two clients that resume at the same time one is told that the other did.
    this.#resuming.add(workflowId);
    try {
      await this.#resume(workflowId, approve);
    } finally {
      this.#resuming.delete(workflowId);
    }
  }

  async #resume(workflowId: string, policy?: ApprovePolicy): Promise<void> {
    const { store, log } = this.#engine;
    const row = await store.workflow(workflowId);
    if (!row) throw new TriadError('not_found', `There is no workflow ${workflowId}`);
    if (row.outcome !== 'interrupted') {
      const state = row.outcome ?? row.status;
      throw new TriadError('conflict', `Only an interrupted workflow can be resumed; this one is ${state}`);
    }
    const approve = policy ?? row.approve;
    await this.#engine.model();
    await log.open(row.conversationId);
    const [conversation, runs] = await Promise.all([
      store.conversation(row.conversationId),
      store.runsOf([row.id]),
    ]);
    if (!conversation) {
      throw new TriadError('internal', `The conversation of workflow ${row.id} is missing in the store`);
    }
    const lead = runs.find((run) => run.id === row.runId) ?? null;
    // The process may have died between the acceptance of a message and the queueing of its run.
    const { envelope, envelopeHash } = lead ?? this.#leadOf(conversation, row.prompt);
    const title = titleOf(row.prompt);
    const workflow = this.#workflow({ ...row, approve, leadRunId: row.runId, title, runs, tally: row.usage });
    this.#workflows.set(row.id, workflow);
    const recorder = this.#recorder(workflow, envelope.agent, lead);
    const again = { type: 'workflow-start', prompt: row.prompt, approve, attempt: row.attempt + 1 } as const;
    const stored = Promise.all([
      recorder.record(again),
      ...(lead ? [] : [recorder.record(queueOf(workflow, envelope, envelopeHash))]),
    ]);
    this.#enqueue(workflow, recorder, {
      envelope,
      envelopeHash,
      row: lead,
      children: runs.filter((run) => run.parentRunId !== null),
      startedAt: Date.now(),
      stored,
    });
    await stored;
  }

  async stopWorkflow(workflowId: string): Promise<StopReceipt> {
    const workflow = this.#workflows.get(workflowId);
    if (!workflow) throw new TriadError('conflict', 'This workflow has ended already');
    return workflow.stop(workflow.leadRunId, 'user', (runIds) => this.#questionsOf(runIds));
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
    // Approved, but not started yet (others of its batch are still asked about): it never will.
    const owner = this.active().find(({ unstarted }) => unstarted.has(runId));
    if (owner) {
      owner.unstarted.get(runId)?.();
      return { agents: 1, requests: 0, tools: 0, approvals: 0, left: 0 };
    }
    throw new TriadError('conflict', 'This agent has ended already');
  }

  /** Interrupts everything; resolves when nothing runs any more. What was open can be resumed later. */
  async interrupt(kind: 'shutdown' | 'failure'): Promise<void> {
    this.#stopping ??= new Stopped(kind);
    for (const workflow of this.#workflows.values()) workflow.controller.abort(this.#stopping);
    await Promise.allSettled(this.#lines.values());
  }

  #leadOf(conversation: ConversationRow, prompt: string): { envelope: Envelope; envelopeHash: string } {
    const definition = this.#engine.registry.lookup(conversation.agent);
    if (!definition) throw new TriadError('not_found', `agent not found: "${conversation.agent}"`);
    const envelope = this.#engine.envelopes.lead(definition, prompt, conversation.folder);
    return { envelope, envelopeHash: canonicalHash(envelope) };
  }

  #refuseWhenStopping(): void {
    if (this.#stopping) throw this.#stopping;
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
    runs: readonly RunRow[];
    tally: Workflow['tally'];
  }): Workflow {
    const { limits } = this.#engine.settings;
    const children = parts.runs.filter((run) => run.parentRunId !== null);
    return new Workflow({
      ...parts,
      maxSubAgents: limits.max_sub_agents,
      maxConcurrent: limits.max_concurrent,
      subAgents: summariesOf(children),
      // Refused and never started ones gave their slot back.
      taken: children.filter((run) => run.attempt > 0 || run.outcome === null).length,
    });
  }

  #recorder(workflow: Workflow, agent: string, row: RunRow | null): Recorder {
    const { log, open } = this.#engine;
    const ids = {
      conversationId: workflow.conversationId,
      workflowId: workflow.id,
      runId: workflow.leadRunId,
      parentRunId: null,
      agent,
    };
    return new Recorder(log, open, ids, row?.usage ?? ZERO, workflow);
  }

  #enqueue(workflow: Workflow, recorder: Recorder, lead: Lead): void {
    const before = this.#lines.get(workflow.conversationId) ?? Promise.resolve();
    const work = this.#run(workflow, recorder, lead, Promise.all([before, lead.stored]));
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
        const plan = await this.#plan(workflow, recorder, lead).catch((error: unknown) => errorInfo(error));
        const ended = 'recorder' in plan ? await executeRun(this.#engine, workflow, live, plan) : null;
        // From here on there is nothing left to stop.
        this.#workflows.delete(workflow.id);
        // Stored before the next in line starts: its request is built from what is stored.
        if ('code' in plan) await this.#end(workflow, recorder, { ...UNREADABLE, error: plan });
        else if (ended && ended.outcome !== 'interrupted') await this.#end(workflow, recorder, ended);
      });
    } finally {
      this.#workflows.delete(workflow.id);
      this.#onChange();
    }
  }

  async #plan(
    workflow: Workflow,
    recorder: Recorder,
    { envelope, envelopeHash, row, children, startedAt, stored }: Lead,
  ): Promise<RunPlan> {
    const plan: RunPlan = {
      recorder,
      depth: 0,
      chain: ['user', envelope.agent],
      envelope,
      envelopeHash,
      attempt: (row?.attempt ?? 0) + 1,
      stored: await loadStored(this.#engine.store, row, children),
      // The first message of a conversation has nothing before it.
      prior: (await stored)[0]?.seq === 1 ? [] : await this.#priorEntries(workflow),
      queuedMs: Date.now() - startedAt,
      children: (history, signal) => new SubAgents({ engine: this.#engine, workflow, plan, signal, history }),
    };
    return plan;
  }

  /** What was said in the conversation before this workflow: the leads' entries, oldest first. */
  async #priorEntries(workflow: Workflow): Promise<Entry[][]> {
    const { store } = this.#engine;
    const runIds: string[] = [];
    let before: string | null | undefined;
    while (before !== null) {
      const page = await store.workflows({ conversationId: workflow.conversationId, limit: 200, before });
      for (const { id, runId } of page.items) if (id < workflow.id) runIds.push(runId);
      before = page.next;
    }
    return Promise.all(runIds.toReversed().map((runId) => store.entriesOf(runId)));
  }

  async #end(
    workflow: Workflow,
    recorder: Recorder,
    { outcome, text, error, durationMs }: Omit<EndedRun, 'tally'>,
  ): Promise<void> {
    const usage = usageOf(workflow.tally);
    await recorder.record({
      type: 'workflow-end',
      outcome,
      text,
      error,
      durationMs,
      usage,
      subAgents: [...workflow.subAgents.values()],
    });
  }
}

/** What was stored before could not be read: nothing was done, and resuming tries again. */
const UNREADABLE = { outcome: 'interrupted', text: '', durationMs: 0 } as const;

interface Lead {
  envelope: Envelope;
  envelopeHash: string;
  /** The stored run when it is resumed. */
  row: RunRow | null;
  /** Its sub-agents' rows, likewise. */
  children: RunRow[];
  startedAt: number;
  /** Settles when the workflow's first events are stored. */
  stored: Promise<DurableEvent[]>;
}

function queueOf(workflow: Workflow, envelope: Envelope, envelopeHash: string) {
  return {
    type: 'run-queue' as const,
    kind: 'lead' as const,
    depth: 0,
    name: envelope.agent,
    title: workflow.title,
    task: envelope.prompt,
    toolCallId: null,
    item: 0,
    parentChain: ['user', envelope.agent],
    traceId: traceIdOf(workflow.leadRunId),
    envelope,
    envelopeHash,
  };
}
