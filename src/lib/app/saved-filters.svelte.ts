/** The filters of the history that the person keeps by name. */
import type { SavedFilter } from '#contract/history/history-methods.ts';
import type { Connection } from './client/connection.ts';

export class SavedFilters {
  /** By name. */
  items = $state.raw<readonly SavedFilter[]>([]);
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async load(): Promise<void> {
    try {
      this.items = await this.#connection.request('filter.list', {});
    } catch {
      // Those that are known stay; what is done with one tells its error.
    }
  }

  /** In place of one of the same name; `was`: the name that it had. Rejects with a `RequestError`. */
  async save(filter: SavedFilter, was?: string): Promise<void> {
    this.items = await this.#connection.request('filter.save', { ...filter, ...(was === undefined ? {} : { was }) });
  }

  /** Rejects with a `RequestError`. */
  async remove(name: string): Promise<void> {
    this.items = await this.#connection.request('filter.remove', { name });
  }
}
