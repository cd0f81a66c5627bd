/** Offers the person at the terminal to send the waiting requests of a workflow again at once. */
import type { Client } from '#contract/rpc.ts';
import { lineOf } from '../terminal/failure.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Terminal } from '../terminal/terminal.ts';

export class TryNowOffer {
  readonly #client: Client;
  readonly #terminal: Terminal;
  readonly #screen: Screen;
  #open: { workflowId: string; controller: AbortController } | null = null;

  constructor(client: Client, terminal: Terminal, screen: Screen) {
    this.#client = client;
    this.#terminal = terminal;
    this.#screen = screen;
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** Opens the offer for a workflow. An open one for the same workflow stays. */
  openFor(workflowId: string): void {
    if (this.#open?.workflowId === workflowId) return;
    this.withdraw();
    this.#open = { workflowId, controller: new AbortController() };
    this.#screen.note('Press Enter to try now, or Ctrl+C to stop.');
  }

  withdraw(): void {
    this.#open?.controller.abort();
    this.#open = null;
  }

  /** Waits for Enter, or until the offer is withdrawn. */
  async waitForEnter(): Promise<void> {
    const offer = this.#open;
    if (offer === null) return;
    const { workflowId, controller } = offer;
    try {
      const line = await this.#terminal.ask('', controller.signal);
      if (line !== null) await this.#client.request('workflow.try-now', { workflowId });
    } catch (error) {
      if (!controller.signal.aborted) this.#screen.note(lineOf(error));
    } finally {
      if (this.#open === offer) this.#open = null;
    }
  }
}
