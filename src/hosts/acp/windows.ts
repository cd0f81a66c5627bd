/** The context windows of the models that a session asks, as the program knows them. */
import type { Door } from './door.ts';

export class Windows {
  readonly #door: Door;
  readonly #conversationId: string;
  #known: ReadonlyMap<string, number | null> = new Map();

  constructor(door: Door, conversationId: string) {
    this.#door = door;
    this.#conversationId = conversationId;
  }

  /** In tokens; null where it is not known, or was not looked up yet. */
  of({ provider, model }: { provider: string; model: string }): number | null {
    return this.#known.get(`${provider} ${model}`) ?? null;
  }

  /** To be called when a run starts, whose model may be another; never rejects. */
  async look(): Promise<void> {
    const conversationId = this.#conversationId;
    const state = await this.#door
      .ask((client) => client.request('context.state', { conversationId }))
      .catch(() => null);
    if (state)
      this.#known = new Map(state.windows.map(({ provider, model, window }) => [`${provider} ${model}`, window]));
  }
}
