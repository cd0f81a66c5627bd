/** The list of conversations, newest first, page by page. */
import type { Client } from '#contract/rpc.ts';
import type { ConversationRow } from '#contract/view.ts';
import { asRequestError, type RequestError } from '#lib/client/request-error.ts';

const PAGE = 50;

export class Conversations {
  items = $state.raw<readonly ConversationRow[]>([]);
  next = $state<string | null>(null);
  loaded = $state(false);
  failure = $state.raw<RequestError | null>(null);
  readonly #client: Client;
  #request = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The newest page again; what was loaded below stays. */
  async refresh(): Promise<void> {
    await this.#load({ limit: PAGE }, (page) => {
      const below = this.items.slice(PAGE).filter(({ id }) => !page.items.some((fresh) => fresh.id === id));
      this.items = [...page.items, ...below];
      if (below.length === 0) this.next = page.next;
    });
  }

  async more(): Promise<void> {
    if (this.next === null) return;
    await this.#load({ limit: PAGE, before: this.next }, (page) => {
      const added = page.items.filter(({ id }) => !this.items.some((known) => known.id === id));
      this.items = [...this.items, ...added];
      this.next = page.next;
    });
  }

  async #load(
    input: { limit: number; before?: string },
    take: (page: { items: ConversationRow[]; next: string | null }) => void,
  ): Promise<void> {
    const request = ++this.#request;
    try {
      const page = await this.#client.request('conversation.list', input);
      if (request !== this.#request) return;
      take(page);
      this.failure = null;
      this.loaded = true;
    } catch (error) {
      if (request === this.#request) this.failure = asRequestError(error);
    }
  }
}
