/** The last decisions of all conversations; loaded again when answers were stored. */
import type { Answered } from '#contract/view.ts';
import type { Connection } from '#lib/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/client/request-error.ts';

export class RecentAnswers {
  items = $state.raw<readonly Answered[]>([]);
  loaded = $state(false);
  failure = $state.raw<RequestError | null>(null);
  readonly #connection: Connection;
  /** Counts requests: replies to older ones, which may come late, are dropped. */
  #request = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async load(): Promise<void> {
    const request = ++this.#request;
    try {
      const items = await this.#connection.request('approval.recent', {});
      if (request !== this.#request) return;
      this.items = items;
      this.failure = null;
      this.loaded = true;
    } catch (error) {
      if (request === this.#request) this.failure = asRequestError(error);
    }
  }
}
