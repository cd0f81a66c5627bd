/** The workflows that were cut off and wait for the person to resume them, for the attention feed. */
import type { AgentEvent } from '#contract/event.ts';
import type { Interrupted } from '#contract/view.ts';
import { titleOf } from '#contract/messages/short-text.ts';
import type { Store } from '../store/store.ts';

interface Ports {
  store: Pick<Store, 'workflow' | 'workflows' | 'conversation'>;
  onChange(): void;
}

/** What nobody has taken up among so many later ones is found in the history. */
const MOST = 50;

export class InterruptedWork {
  readonly #ports: Ports;
  /** Ids of those that were interrupted and may still be. */
  readonly #known = new Set<string>();
  #list: readonly Interrupted[] | null = null;
  #isFound = false;
  #reading: Promise<Interrupted[]> | null = null;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Newest first; null as long as `find` looks for them. */
  list(): Interrupted[] | null {
    return this.#list && [...this.#list];
  }

  /** Call once at the start, behind the sweep; what that ended is known by its events. Rejects as the store does, until `signal`. */
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

  /** Reads them anew. Call when a conversation went to the trash or came back. */
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

  /** Call with each event of the log. */
  onEvent(event: AgentEvent): void {
    if (event.type === 'workflow-end' && event.outcome === 'interrupted') this.#known.add(event.workflowId);
    // A new message in its conversation, too: the person went on without it.
    const isConcerned =
      event.type === 'workflow-end' || event.type === 'workflow-start' || event.type === 'workflow-leave';
    if (isConcerned && this.#known.size > 0) this.refresh().catch(() => undefined);
  }

  /** Where another workflow of the conversation is newer, or the person left this one, nobody waits for it any more. */
  async #read(): Promise<Interrupted[]> {
    const { store } = this.#ports;
    const found: Interrupted[] = [];
    // Ids grow with time.
    for (const id of [...this.#known].sort().reverse()) {
      const row = await store.workflow(id);
      if (row?.outcome !== 'interrupted' || row.taken) this.#known.delete(id);
      else if (!row.left && found.length < MOST) {
        const { conversationId, prompt, agents, endedAt, createdAt } = row;
        const [last] = (await store.workflows({ conversationId, limit: 1 })).items;
        // What was gone on without never waits again; an end of its own brings it back.
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
