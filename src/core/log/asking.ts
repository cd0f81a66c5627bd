/** Which runs wait for the model now: for their turn, or for the provider. A client that attaches cannot see it in rows. */
import type { EventDraft, HintEvent } from '#contract/event.ts';
import { providerWaitAfter } from '#contract/messages/provider-wait-after.ts';
import type { ProviderWait } from '#contract/messages/provider-wait.ts';

/** The waits of a conversation, by run id. `asking`: how many requests at a time the provider takes. */
export interface Waits {
  asking: Record<string, number>;
  waits: Record<string, ProviderWait>;
}

export class Asking {
  readonly #turns = new Map<string, { conversationId: string; atATime: number }>();
  readonly #providers = new Map<string, { conversationId: string; wait: ProviderWait }>();

  /** Updates the waits of the event's run. */
  take(event: EventDraft | HintEvent): void {
    const { runId, conversationId } = event;
    if (event.type === 'turn-start' && event.atATime !== undefined)
      this.#turns.set(runId, { conversationId, atATime: event.atATime });
    else if (event.type === 'run-end' || (event.type === 'request-start' && event.purpose === undefined))
      this.#turns.delete(runId);
    const wait = providerWaitAfter(event);
    if (wait) this.#providers.set(runId, { conversationId, wait });
    else if (wait === null) this.#providers.delete(runId);
  }

  /** The run shows activity, so it does not wait for an answer. */
  delta(runId: string): void {
    if (this.#providers.size > 0) this.#providers.delete(runId);
  }

  inConversation(conversationId: string): Waits {
    const turns = [...this.#turns].filter(([, run]) => run.conversationId === conversationId);
    const providers = [...this.#providers].filter(([, run]) => run.conversationId === conversationId);
    return {
      asking: Object.fromEntries(turns.map(([runId, { atATime }]) => [runId, atATime])),
      waits: Object.fromEntries(providers.map(([runId, { wait }]) => [runId, wait])),
    };
  }
}
