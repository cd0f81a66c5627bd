/** What a lead brings with it before it is told anything: everybody who would work for the person, and the most of it. */
import type { Output } from '#contract/rpc.ts';
import type { Connection } from './client/connection.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';

/** After the last key press in the box of a folder. */
const WAIT_MS = 250;

export class LeadPreview {
  /** Null where nothing is to be shown, and until it was read. */
  shown = $state.raw<Output<'agents.preview'> | null>(null);
  /** Why it cannot lead; then nothing is sent to it. */
  failure = $state.raw<RequestError | null>(null);
  readonly #connection: Connection;
  #due: Promise<void> = Promise.resolve();
  #turn = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Null where nobody serves the one who was chosen. */
  look(wanted: { folder: string; agent: string } | null): void {
    const turn = ++this.#turn;
    this.shown = null;
    this.failure = null;
    this.#due = wanted === null ? Promise.resolve() : this.#read(wanted, turn);
  }

  /** Resolves once it is known what would work. Rejects with a `RequestError` where that cannot lead. */
  async ready(): Promise<void> {
    const due = this.#due;
    await due;
    // Another one was chosen meanwhile.
    if (due !== this.#due) return this.ready();
    if (this.failure) throw this.failure;
  }

  async #read({ folder, agent }: { folder: string; agent: string }, turn: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    if (turn !== this.#turn) return;
    try {
      const shown = await this.#connection.request('agents.preview', { ...(folder === '' ? {} : { folder }), agent });
      if (turn === this.#turn) this.shown = shown;
    } catch (error) {
      if (turn === this.#turn) this.failure = asRequestError(error);
    }
  }
}
