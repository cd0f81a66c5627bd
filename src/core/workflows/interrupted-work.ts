/** The interrupted workflows that the person can resume, for the attention feed. */
import type { AgentEvent } from '#contract/event.ts';
import type { Interrupted } from '#contract/view.ts';
import { titleOf } from '#contract/messages/short-text.ts';
import type { Store } from '../store/store.ts';

interface InterruptedWorkPorts {
  store: Pick<Store, 'workflow' | 'workflows' | 'conversation'>;
  onChange(): void;
}

/** Maximum number of listed workflows. The history shows older ones. */
const MOST = 50;

export class InterruptedWork {
  readonly #ports: InterruptedWorkPorts;
  /** Ids of workflows that were interrupted, and may be resumed by now. */
  readonly #known = new Set<string>();
  #list: readonly Interrupted[] | null = null;
  #isFound = false;
  #reading: Promise<Interrupted[]> | null = null;

  constructor(ports: InterruptedWorkPorts) {
    this.#ports = ports;
  }

  /** Returns the list, newest first; null until `find` has finished. */
  list(): Interrupted[] | null {
    return this.#list && [...this.#list];
  }

  /** Finds the interrupted workflows. Call it once after the sweep at the start. Rejects like the store, until `signal`. */
  async find(signal: AbortSignal): Promise<void> {
    try {
      const { items } = await this.#ports.store.workflows({ outcome: 'interrupted', limit: MOST });
      for (const { id } of items) this.#known.add(id);
      this.#isFound = true;
      await this.refresh();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Reads the list again. Call it after a conversation was moved to the trash or restored. */
  async refresh(): Promise<void> {
    if (!this.#isFound) return;
    const reading = this.#read();
    this.#reading = reading;
    try {
      const found = await reading;
      if (this.#reading !== reading) return;
      this.#list = found;
      this.#ports.onChange();
    } finally {
      if (this.#reading === reading) this.#reading = null;
    }
  }

  /** Updates the list. Call it with each event of the log. */
  onEvent(event: AgentEvent): void {
    if (event.type === 'workflow-end' && event.outcome === 'interrupted') this.#known.add(event.workflowId);
    // A new message also removes the earlier workflow of its conversation.
    const isConcerned = event.type === 'workflow-end' || event.type === 'workflow-start';
    if (isConcerned && this.#known.size > 0) this.refresh().catch(() => undefined);
  }

  /** Reads the list. Excludes an interrupted workflow if its conversation has a newer one. */
  async #read(): Promise<Interrupted[]> {
    const { store } = this.#ports;
    const found: Interrupted[] = [];
    // Ids grow with time.
    for (const id of [...this.#known].sort().reverse()) {
      const row = await store.workflow(id);
      if (row?.outcome !== 'interrupted' || row.copiedFrom) this.#known.delete(id);
      else if (found.length < MOST) {
        const { conversationId, prompt, agents, endedAt, createdAt } = row;
        const [last] = (await store.workflows({ conversationId, limit: 1 })).items;
        // A newer workflow replaces this one. A later interruption adds it again.
        if (last && last.id !== id) {
          this.#known.delete(id);
          continue;
        }
        const conversation = await store.conversation(conversationId);
        if (last && conversation && !conversation.deletedAt)
          found.push({
            conversationId,
            workflowId: id,
            title: titleOf(prompt),
            agent: agents[0] ?? '',
            at: endedAt ?? createdAt,
          });
      }
    }
    return found;
  }
}
