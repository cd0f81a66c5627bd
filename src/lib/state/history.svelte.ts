/** The history's list of workflows, newest first, with its filters and pages. */
import type { Outcome } from '#contract/outcome.ts';
import type { Client } from '#contract/rpc.ts';
import type { WorkflowRow } from '#contract/view.ts';
import { asRequestError, type RequestError } from '#lib/client/request-error.ts';

const PAGE = 50;

export interface Filter {
  outcome: Outcome | null;
  agent: string | null;
}

export class History {
  items = $state.raw<readonly WorkflowRow[]>([]);
  next = $state<string | null>(null);
  loading = $state(false);
  loaded = $state(false);
  failure = $state.raw<RequestError | null>(null);
  readonly #client: Client;
  #filter: Filter = { outcome: null, agent: null };
  #request = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The newest page for a filter, instead of what is shown. */
  load(filter: Filter): Promise<void> {
    this.#filter = filter;
    return this.#fetch(undefined);
  }

  async more(): Promise<void> {
    if (this.next !== null && !this.loading) await this.#fetch(this.next);
  }

  async #fetch(before: string | undefined): Promise<void> {
    const request = ++this.#request;
    const { outcome, agent } = this.#filter;
    this.loading = true;
    try {
      const page = await this.#client.request('workflow.list', {
        limit: PAGE,
        ...(before === undefined ? {} : { before }),
        ...(outcome === null ? {} : { outcome }),
        ...(agent === null ? {} : { agent }),
      });
      if (request !== this.#request) return;
      this.items = before === undefined ? page.items : [...this.items, ...page.items];
      this.next = page.next;
      this.loaded = true;
      this.failure = null;
    } catch (error) {
      if (request === this.#request) this.failure = asRequestError(error);
    } finally {
      if (request === this.#request) this.loading = false;
    }
  }
}
