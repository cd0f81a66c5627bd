/** The runs that wait for the model: for their turn, or for the provider. A client that attaches cannot see it in rows. */
import type { EventDraft, HintEvent } from '#contract/event.ts';
import { findProviderWait } from '#contract/messages/find-provider-wait.ts';
import type { ProviderWait } from '#contract/messages/provider-wait.ts';

/** The waits of a conversation, by run id. `asking`: how many requests at a time the provider takes. */
export interface ConversationWaits {
  asking: Record<string, number>;
  waits: Record<string, ProviderWait>;
}

export class ModelWaits {
  readonly #turns = new Map<string, { conversationId: string; atATime: number }>();
  readonly #providers = new Map<string, { conversationId: string; wait: ProviderWait }>();

  /** Updates the waits of the event's run. */
  update(event: EventDraft | HintEvent): void {
    const { runId, conversationId } = event;
    if (event.type === 'turn-start' && event.atATime !== undefined)
      this.#turns.set(runId, { conversationId, atATime: event.atATime });
    else if (event.type === 'run-end' || (event.type === 'request-start' && event.purpose === undefined))
      this.#turns.delete(runId);
    const wait = findProviderWait(event);
    if (wait) this.#providers.set(runId, { conversationId, wait });
    else if (wait === null) this.#providers.delete(runId);
  }

  /** Call when a run shows activity: it does not wait for an answer then. */
  endProviderWait(runId: string): void {
    if (this.#providers.size > 0) this.#providers.delete(runId);
  }

  /** Returns the waits of the runs of a conversation. */
  getWaits(conversationId: string): ConversationWaits {
    const turns = [...this.#turns].filter(([, run]) => run.conversationId === conversationId);
    const providers = [...this.#providers].filter(([, run]) => run.conversationId === conversationId);
    return {
      asking: Object.fromEntries(turns.map(([runId, { atATime }]) => [runId, atATime])),
      waits: Object.fromEntries(providers.map(([runId, { wait }]) => [runId, wait])),
    };
  }
}
