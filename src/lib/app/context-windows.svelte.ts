/** How much the models in use read at once, what fills the context of a conversation's lead, and making room in it. */
import type { Envelope } from '#contract/agent.ts';
import type { ContextPart } from '#contract/context/context-methods.ts';
import type { Connection } from './client/connection.ts';

type ModelOf = Pick<Envelope, 'provider' | 'model'>;

export class ContextWindows {
  /** Share of a window from which room is made by itself; null where it is not, or not known yet. */
  compactAt = $state<number | null>(null);
  #windows = $state.raw<Readonly<Record<string, number | null>>>({});
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Asks for the windows of the models of a conversation; what fails leaves a gauge without its end. */
  async load(conversationId: string): Promise<void> {
    const { compactAt, windows } = await this.#connection
      .request('context.state', { conversationId })
      .catch(() => ({ compactAt: this.compactAt, windows: [] }));
    this.compactAt = compactAt;
    const found = Object.fromEntries(windows.map((one) => [keyOf(one), one.window]));
    this.#windows = { ...this.#windows, ...found };
  }

  /** Null where it is not known. */
  windowOf(model: ModelOf): number | null {
    return this.#windows[keyOf(model)] ?? null;
  }

  /** What fills the context of the conversation's newest lead; rejects with what went wrong. */
  async partsOf(conversationId: string): Promise<readonly ContextPart[]> {
    const { parts } = await this.#connection.request('context.state', { conversationId, parts: true });
    return parts ?? [];
  }

  /** Rejects with what went wrong. */
  async compact(conversationId: string): Promise<void> {
    await this.#connection.request('context.compact', { conversationId });
  }

  /** Takes a compaction back, or has it hold again. */
  async restore(of: { conversationId: string; runId: string; n: number; undone: boolean }): Promise<void> {
    await this.#connection.request('context.restore', of);
  }
}

const keyOf = ({ provider, model }: ModelOf): string => `${provider}\n${model}`;
