/** What decides about the call of a question: asked for once, however often the question comes anew. */
import type { Verdict } from '#contract/permission.ts';
import type { Input } from '#contract/rpc.ts';
import type { Connection } from '#lib/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/client/request-error.ts';

export class Explained {
  verdict = $state.raw<Verdict | null>(null);
  failure = $state.raw<RequestError | null>(null);
  readonly #connection: Connection;
  #asked = '';

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Does nothing where the same was asked; what failed is asked again. Null: there is no call. */
  async ask(call: Input<'permissions.explain'> | null): Promise<void> {
    const asked = JSON.stringify(call);
    if (call === null || asked === this.#asked) return;
    this.#asked = asked;
    try {
      const verdict = await this.#connection.request('permissions.explain', call);
      if (asked !== this.#asked) return;
      this.verdict = verdict;
      this.failure = null;
    } catch (error) {
      if (asked !== this.#asked) return;
      this.failure = asRequestError(error);
      this.#asked = '';
    }
  }
}
