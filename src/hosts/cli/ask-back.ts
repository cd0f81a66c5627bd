/** Asks the asking agent something from the terminal, and waits for what it says, which comes with the open questions. */
import type { Approval, Context } from '#contract/approval.ts';
import type { Client } from '#contract/rpc.ts';

export class AskBack {
  readonly #client: Client;
  #questions: readonly Approval[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** All open questions as they are now. */
  update(questions: readonly Approval[]): void {
    this.#questions = questions;
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves with the whole exchange; rejects where the question was closed meanwhile, or could not be asked. */
  async ask(approvalId: string, question: string, signal: AbortSignal): Promise<Context> {
    const before = this.#context(approvalId).length;
    await this.#client.request('approval.ask', { approvalId, question });
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(look);
        signal.removeEventListener('abort', stop);
      };
      const stop = (): void => {
        leave();
        reject(signal.reason as Error);
      };
      const look = (): void => {
        const found = this.#context(approvalId)[before];
        if (!found || (found.answer === null && found.error === null)) return;
        leave();
        resolve(found);
      };
      this.#waiting.add(look);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      else look();
    });
  }

  #context(approvalId: string): readonly Context[] {
    return this.#questions.find(({ request }) => request.id === approvalId)?.context ?? [];
  }
}
