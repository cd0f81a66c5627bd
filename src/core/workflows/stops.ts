/** Stops workflows and runs, and cancels the messages that are queued behind them. */
import type { StopReceipt } from '#contract/view.ts';
import type { OpenApprovals } from '../approvals/open-approvals.ts';
import { TriadError } from '../base/errors.ts';
import { Stopped, type StopKind } from '../base/stop.ts';
import type { Engine } from '../runs/engine.ts';
import { type QueueChange, receiptOf, unstartedReceipt, withdrawalReceipt } from './stop-receipt.ts';
import type { Workflow } from '#core/runs/workflow/workflow.ts';

export class Stops {
  /** Ids of workflows whose message waits for the one before it and has not started. */
  readonly queuedIds = new Set<string>();
  readonly #engine: Engine;
  readonly #active: () => Workflow[];

  /** `active` returns the workflows that run or wait, oldest first. */
  constructor(engine: Engine, active: () => Workflow[]) {
    this.#engine = engine;
    this.#active = active;
  }

  /** Stops a workflow with all of its runs. `withdrawQueued` also cancels the messages that wait in its conversation. */
  async stopWorkflow(workflowId: string, kind: StopKind, withdrawQueued = false): Promise<StopReceipt> {
    const workflow = this.#active().find(({ id }) => id === workflowId);
    if (!workflow) throw new TriadError('conflict', 'This workflow has ended already');
    const stop = ({ runs }: Workflow) => runs.stop(runs.leadRunId, kind, (runIds) => this.#questionsOf(runIds));
    // Read before the stop: the first queued message may start while the work before it ends.
    const waiting = this.#queuedIn(workflow);
    const isQueued = waiting.includes(workflow);
    const others = waiting.filter((other) => other !== workflow);
    // Queued messages first: none of them may start when the work before it ends.
    const [, stopped] = await Promise.all([withdrawQueued && Promise.all(others.map(stop)), stop(workflow)]);
    // An interruption is no withdrawal: the message can be resumed.
    const targets = withdrawQueued ? waiting : waiting.filter((other) => other === workflow);
    const isWithdrawal = new Stopped(kind).code === 'cancelled';
    const withdrawn = isWithdrawal ? targets.map(({ id }) => id) : [];
    const queue = { withdrawn, queued: waiting.length - targets.length };
    return isQueued ? withdrawalReceipt(queue) : receiptOf(workflow, stopped, queue);
  }

  #queuedIn({ conversationId }: Pick<Workflow, 'conversationId'>): Workflow[] {
    return this.#active().filter((other) => other.conversationId === conversationId && this.queuedIds.has(other.id));
  }

  #queueChange(workflow: Pick<Workflow, 'conversationId'>): QueueChange {
    return { withdrawn: [], queued: this.#queuedIn(workflow).length };
  }

  /** Stops one run and what it started; one that still waits for a yes is answered no, through `approvals`. */
  async stopRun(runId: string, approvals: Pick<OpenApprovals, 'rejectSpawn'>): Promise<StopReceipt> {
    const workflow = this.#active().find(({ runs }) => runs.has(runId));
    if (workflow?.runs.leadRunId === runId) return this.stopWorkflow(workflow.id, 'user');
    if (workflow) {
      const queue = this.#queueChange(workflow);
      const stopped = await workflow.runs.stop(runId, 'user', (runIds) => this.#questionsOf(runIds));
      return receiptOf(workflow, stopped, queue);
    }
    const receipt = async (questions: 0 | 1) =>
      unstartedReceipt(this.#active(), await this.#engine.store.run(runId), questions, (one) => this.#queueChange(one));
    if (await approvals.rejectSpawn(runId, 'Stopped by the person before it started')) return receipt(1);
    // Approved, but not started yet (others of its batch are still asked about, or its lead waits): it never will.
    if (this.#active().some(({ subAgents }) => subAgents.stopUnstarted(runId))) return receipt(0);
    throw new TriadError('conflict', 'This agent has ended already');
  }

  #questionsOf(runIds: readonly string[]): number {
    return this.#engine.gate.pending().filter(({ request }) => runIds.includes(request.runId)).length;
  }
}
