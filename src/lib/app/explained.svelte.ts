/** What decides about the call of a question: asked for once, however often the question comes anew, until rules may differ. */
import type { Verdict } from '#contract/permission.ts';
import type { Input } from '#contract/rpc.ts';
import type { Connection } from './client/connection.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';

export class Explained {
  /** About the last call that was asked about, and no other. */
  verdict = $state.raw<Verdict | null>(null);
  failure = $state.raw<RequestError | null>(null);
  readonly #connection: Connection;
  #call: Input<'permissions.explain'> | null = null;
  /** Counts what was sent: only the last answer counts. */
  #sent = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Does nothing where the same was asked; what failed is asked again. Null: there is no call. */
  async ask(call: Input<'permissions.explain'> | null): Promise<void> {
    if (JSON.stringify(call) !== JSON.stringify(this.#call)) this.verdict = this.failure = null;
    else if (this.failure === null) return;
    this.#call = call;
    await this.again();
  }

  /** Asks the same once more, since rules or grants may have changed: what was told stays until the answer. */
  async again(): Promise<void> {
    const sent = (this.#sent += 1);
    if (this.#call === null) return;
    try {
      const verdict = await this.#connection.request('permissions.explain', this.#call);
      if (sent !== this.#sent) return;
      this.verdict = verdict;
      this.failure = null;
    } catch (error) {
      if (sent !== this.#sent) return;
      this.verdict = null;
      this.failure = asRequestError(error);
    }
  }
}
