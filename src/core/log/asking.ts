/** Which runs wait for their turn at the model now: what a client that comes later cannot see from rows. */
import type { EventDraft } from '#contract/event.ts';

/** What of an event tells of it. */
type Told = Pick<EventDraft, 'type' | 'runId' | 'conversationId'> & { purpose?: unknown; atATime?: unknown };

export class Asking {
  readonly #runs = new Map<string, { conversationId: string; atATime: number }>();

  /** Between the start of a turn that has to wait and that of its request. */
  take({ type, runId, conversationId, purpose, atATime }: Told): void {
    if (type === 'turn-start' && typeof atATime === 'number') this.#runs.set(runId, { conversationId, atATime });
    else if (type === 'run-end' || (type === 'request-start' && purpose === undefined)) this.#runs.delete(runId);
  }

  /** By run id, how many requests at a time its provider takes. */
  of(conversationId: string): Record<string, number> {
    const own = [...this.#runs].filter(([, run]) => run.conversationId === conversationId);
    return Object.fromEntries(own.map(([runId, { atATime }]) => [runId, atATime]));
  }
}
