/** The one door for a person's answers. Questions of interrupted workflows are dormant: they stay open, and an answer resumes the workflow that asked. */
import type { Answer, Approval, Decision } from '#contract/approval.ts';
import type { AgentEvent } from '#contract/event.ts';
import type { Store } from '../store/store.ts';
import { TriadError } from '../base/errors.ts';
import type { ApprovalGate } from './gate.ts';

interface Ports {
  store: Pick<Store, 'openApprovals' | 'workflow' | 'conversation'>;
  gate: Pick<ApprovalGate, 'decide' | 'explain' | 'has' | 'questionOf'>;
  isActive(workflowId: string): boolean;
  /** Resolves when the workflow is queued to continue; rejects when it cannot. */
  resume(workflowId: string): Promise<void>;
  onChange(): void;
}

export class OpenApprovals {
  readonly #ports: Ports;
  #dormant: readonly Approval[] = [];
  /** The last one, while it is under way: only what that one finds counts. */
  #reading: Promise<Approval[]> | null = null;
  /** Workflows that answers are resuming. */
  readonly #resuming = new Map<string, Promise<void>>();
  readonly #waiting = new Set<() => void>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Dormant questions; those of a workflow that is resumed stay among them until they are asked again. */
  dormant(): Approval[] {
    return structuredClone([...this.#dormant]);
  }

  /** Reads the dormant approvals anew. Call at the start, and when a conversation went to the trash or came back. */
  async refresh(): Promise<void> {
    const reading = this.#read();
    this.#reading = reading;
    try {
      const found = await reading;
      if (this.#reading !== reading) return;
      this.#dormant = found.filter(({ request }) => !this.#ports.gate.has(request.id));
      this.#ports.onChange();
    } finally {
      if (this.#reading === reading) this.#reading = null;
    }
  }

  /**
   * Call with each event of the log: reads anew if it may have closed a dormant question, or left one with a workflow that
   * was interrupted.
   */
  onEvent(event: AgentEvent): void {
    const isConcerned =
      event.type === 'workflow-end'
        ? event.outcome === 'interrupted' || this.#reading !== null || this.#dormant.length > 0
        : event.type === 'approval-decide' && this.#mayBeDormant(event.approvalId);
    if (isConcerned) this.refresh().catch(() => undefined);
  }

  /** Call when questions were opened or closed, or a workflow ended. */
  changed(): void {
    this.#dormant = this.#dormant.filter(({ request }) => !this.#ports.gate.has(request.id));
    for (const look of [...this.#waiting]) look();
  }

  /** Answers an open question; the workflow of a dormant one is resumed first. Throws like `ApprovalGate.decide` and `resume`. */
  async decide(approvalId: string, item: number, answer: Answer): Promise<Decision> {
    const { gate } = this.#ports;
    const dormant = this.#dormant.find(({ request }) => request.id === approvalId);
    if (dormant && !gate.has(approvalId)) await this.#wake(approvalId, dormant.request.workflowId);
    return gate.decide(approvalId, item, answer);
  }

  /** Answers no for a sub-agent that waits for its yes; false where no open question asks about it. */
  async rejectSpawn(runId: string, reason: string): Promise<boolean> {
    const question = this.#ports.gate.questionOf(runId);
    if (!question || question.answered) return false;
    await this.decide(question.approvalId, question.item, { kind: 'reject', reason });
    return true;
  }

  /** Has the agent that asks say more. Throws `conflict` for a dormant question: its workflow must run. */
  async explain(approvalId: string, question: string): Promise<void> {
    const { gate } = this.#ports;
    if (!gate.has(approvalId) && this.#dormant.some(({ request }) => request.id === approvalId))
      throw new TriadError('conflict', 'Its workflow was interrupted: resume it, then ask');
    await gate.explain(approvalId, question);
  }

  /** Also while it is not known yet. */
  #mayBeDormant(approvalId: string): boolean {
    return this.#reading !== null || this.#dormant.some(({ request }) => request.id === approvalId);
  }

  /**
   * Reads the open questions of interrupted workflows, and those that a resumed workflow has not asked again. Excludes the
   * trash, and questions that a call asked while it ran, because that call has ended.
   */
  async #read(): Promise<Approval[]> {
    const ports = this.#ports;
    const { store } = ports;
    const found: Approval[] = [];
    for (const approval of await store.openApprovals()) {
      const { id, workflowId, during } = approval.request;
      if (during) continue;
      const workflow = await store.workflow(workflowId);
      const resumed = ports.isActive(workflowId) && this.#dormant.some(({ request }) => request.id === id);
      if (!workflow || (workflow.outcome !== 'interrupted' && !resumed)) continue;
      const conversation = await store.conversation(workflow.conversationId);
      if (conversation && !conversation.deletedAt) found.push(approval);
    }
    return found;
  }

  async #wake(approvalId: string, workflowId: string): Promise<void> {
    const ports = this.#ports;
    if (!ports.isActive(workflowId)) {
      const resuming =
        this.#resuming.get(workflowId) ?? ports.resume(workflowId).finally(() => this.#resuming.delete(workflowId));
      this.#resuming.set(workflowId, resuming);
      await resuming;
    }
    // It may have to wait for other work of its conversation; when it ends without asking, the answer comes too late.
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!ports.gate.has(approvalId) && ports.isActive(workflowId)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}
