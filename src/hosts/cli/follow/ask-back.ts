/** Asks the asking agent something from the terminal, and waits for what it says, which comes with the open questions. */
import type { Approval, Context } from '#contract/approval.ts';
import type { Client } from '#contract/rpc.ts';
import { orStopped } from '#core/base/stop.ts';

export class AskBack {
  readonly #client: Client;
  #questions: readonly Approval[] = [];
  #change = Promise.withResolvers<void>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** All open questions as they are now. */
  update(questions: readonly Approval[]): void {
    this.#questions = questions;
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  /** Resolves with the whole exchange; rejects where the question was closed meanwhile, or could not be asked. */
  async ask(approvalId: string, question: string, signal: AbortSignal): Promise<Context> {
    const before = this.#context(approvalId).length;
    await this.#client.request('approval.ask', { approvalId, question });
    for (;;) {
      const found = this.#context(approvalId)[before];
      if (found && (found.answer !== null || found.error !== null)) return found;
      await orStopped(signal, this.#change.promise);
    }
  }

  #context(approvalId: string): readonly Context[] {
    return this.#questions.find(({ request }) => request.id === approvalId)?.context ?? [];
  }
}
