/** The attention feed: open approvals and running workflows, as whole state, to every subscriber. */
import type { Attention } from '#contract/view.ts';

/** Sends the state on subscription and after changes, at most once for each turn of the event loop. */
export class AttentionFeed {
  readonly #state: () => Attention;
  readonly #listeners = new Set<(state: Attention) => void>();
  #due = false;

  constructor(state: () => Attention) {
    this.#state = state;
  }

  subscribe(listener: (state: Attention) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#state());
    return () => {
      this.#listeners.delete(listener);
    };
  }

  changed(): void {
    if (this.#due) return;
    this.#due = true;
    setImmediate(() => {
      this.#due = false;
      if (this.#listeners.size === 0) return;
      const state = this.#state();
      for (const listener of this.#listeners) listener(state);
    });
  }
}
