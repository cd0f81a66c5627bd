/** Which runs wait for their turn at the model now: what a client that comes later cannot see from rows. */
import type { EventDraft } from '#contract/event.ts';

/** What of an event tells of it. */
type Told = Pick<EventDraft, 'type' | 'runId' | 'conversationId' | 'at'> & { purpose?: unknown };

export class Asking {
  readonly #runs = new Map<string, { conversationId: string; at: string }>();

  /** Between the start of a turn and that of its request a run waits for its provider to have room. */
  take({ type, runId, conversationId, at, purpose }: Told): void {
    if (type === 'turn-start') this.#runs.set(runId, { conversationId, at });
    else if (type === 'run-end' || (type === 'request-start' && purpose === undefined)) this.#runs.delete(runId);
  }

  /** By run id, since when. */
  of(conversationId: string): Record<string, string> {
    const own = [...this.#runs].filter(([, run]) => run.conversationId === conversationId);
    return Object.fromEntries(own.map(([runId, { at }]) => [runId, at]));
  }
}
