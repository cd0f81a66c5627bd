/** The context windows of the models that a session asks, as the program knows them. */
import type { Door } from './door.ts';

export class Windows {
  readonly #door: Door;
  readonly #conversationId: string;
  readonly #known = new Map<string, number | null>();

  constructor(door: Door, conversationId: string) {
    this.#door = door;
    this.#conversationId = conversationId;
  }

  /** In tokens; null where it is not known, or was not looked up yet. */
  of({ provider, model }: { provider: string; model: string }): number | null {
    return this.#known.get(`${provider} ${model}`) ?? null;
  }

  /** Those of the models that are offered; never rejects. */
  async begin(): Promise<void> {
    const state = await this.#door.ask((client) => client.request('app.state', {})).catch(() => null);
    for (const { name, models } of state?.providers ?? [])
      for (const { id, window } of models) this.#known.set(`${name} ${id}`, window);
  }

  /** To be called when a run starts, whose model may be another; never rejects. */
  async look(): Promise<void> {
    const conversationId = this.#conversationId;
    const state = await this.#door
      .ask((client) => client.request('context.state', { conversationId }))
      .catch(() => null);
    for (const { provider, model, window } of state?.windows ?? []) this.#known.set(`${provider} ${model}`, window);
  }
}
