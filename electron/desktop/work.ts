/** What works and what waits, as the runtime last said, for everything of the desktop that goes by it. */
import type { Client } from '#contract/rpc.ts';
import type { Attention } from '#contract/view.ts';

export class Work {
  #state: Attention | null = null;
  readonly #listeners: ((state: Attention | null) => void)[] = [];

  /** Of workflows; 0 while there is no runtime. */
  get running(): number {
    return this.#state?.running.length ?? 0;
  }

  /** Called at every change; with null when the runtime has gone. */
  onChange(listener: (state: Attention | null) => void): void {
    this.#listeners.push(listener);
  }

  /** Follows a runtime until it goes; this alone is nobody who could answer. Null: it has gone. */
  async follow(client: Client | null): Promise<void> {
    if (client === null) this.#take(null);
    else await client.subscribe('attention', { canAnswer: false }, (state) => this.#take(state));
  }

  #take(state: Attention | null): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}
