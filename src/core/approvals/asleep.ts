/** Questions of interrupted workflows: they stay open, and an answer to one resumes the workflow that asked. */
import type { Answer, Approval, Decision } from '#contract/approval.ts';
import type { Store } from '../store/store.ts';
import { TriadError } from '../base/errors.ts';
import type { ApprovalGate } from './gate.ts';

interface Ports {
  store: Pick<Store, 'openApprovals' | 'workflow' | 'conversation'>;
  gate: Pick<ApprovalGate, 'decide' | 'explain' | 'has'>;
  isActive(workflowId: string): boolean;
  /** Resolves when the workflow is in its line; rejects when it cannot go on. */
  resume(workflowId: string): Promise<void>;
  onChange(): void;
}

export class AsleepQuestions {
  readonly #ports: Ports;
  #found: readonly Approval[] = [];
  /** Workflows that answers are resuming. */
  readonly #resuming = new Map<string, Promise<void>>();
  readonly #waiting = new Set<() => void>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  get any(): boolean {
    return this.#found.length > 0;
  }

  /** What a person can be shown now. */
  list(): Approval[] {
    return this.#found
      .filter(({ request }) => !this.#ports.isActive(request.workflowId))
      .map((approval) => structuredClone(approval));
  }

  /** Reads them again: at the start, and when a workflow has ended or its conversation went to the trash or came back. */
  async look(): Promise<void> {
    const { store } = this.#ports;
    const found: Approval[] = [];
    for (const approval of await store.openApprovals()) {
      const workflow = await store.workflow(approval.request.workflowId);
      if (workflow?.outcome !== 'interrupted') continue;
      const conversation = await store.conversation(workflow.conversationId);
      if (conversation && !conversation.deletedAt) found.push(approval);
    }
    this.#found = found;
    this.#ports.onChange();
  }

  /** Questions were opened or closed, or a workflow ended. */
  changed(): void {
    this.#found = this.#found.filter(({ request }) => !this.#ports.gate.has(request.id));
    for (const look of [...this.#waiting]) look();
  }

  /** Answers an open question; one that is asleep is woken first, with everything that its workflow needs. */
  async decide(approvalId: string, item: number, answer: Answer): Promise<Decision> {
    const { gate } = this.#ports;
    const asleep = this.#found.find(({ request }) => request.id === approvalId);
    if (asleep && !gate.has(approvalId)) await this.#wake(approvalId, asleep.request.workflowId);
    return gate.decide(approvalId, item, answer);
  }

  /** Only the agent that asks can say more, so its workflow must be awake. */
  async explain(approvalId: string, question: string): Promise<void> {
    const { gate } = this.#ports;
    if (!gate.has(approvalId) && this.#found.some(({ request }) => request.id === approvalId))
      throw new TriadError('conflict', 'Its workflow was interrupted: resume it, then ask');
    await gate.explain(approvalId, question);
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
