/** The last decisions of all conversations; loaded again when the open questions change. */
import type { Answered } from '#contract/view.ts';
import type { Connection } from '#lib/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/client/request-error.ts';

export class RecentAnswers {
  items = $state.raw<readonly Answered[]>([]);
  loaded = $state(false);
  failure = $state.raw<RequestError | null>(null);
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async load(): Promise<void> {
    try {
      this.items = await this.#connection.request('approval.recent', {});
      this.failure = null;
      this.loaded = true;
    } catch (error) {
      this.failure = asRequestError(error);
    }
  }
}
