/** The folders of the newest conversations, for the menu. */
import type { Client } from '#contract/rpc.ts';
import type { Attention } from '#contract/view.ts';

const MOST = 10;
/** Conversations that are looked at. */
const NEWEST = 50;

export class RecentFolders {
  list: readonly string[] = [];
  #client: Client | null = null;
  /** The workflows that ran when it last looked: a new one may be in a new folder. */
  #running = '';
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Null while there is no runtime: what was known stays. */
  async follow(client: Client | null): Promise<void> {
    this.#client = client;
    this.#running = '';
    await this.#look();
  }

  /** What works now. */
  receive(state: Attention | null): void {
    const running = (state?.running ?? []).map(({ workflowId }) => workflowId).join();
    if (running === this.#running) return;
    this.#running = running;
    if (running !== '') this.#look().catch(() => undefined);
  }

  async #look(): Promise<void> {
    const page = await this.#client?.request('conversation.list', { limit: NEWEST });
    if (page === undefined) return;
    const folders = [...new Set(page.items.map(({ folder }) => folder))].slice(0, MOST);
    if (folders.join('\0') === this.list.join('\0')) return;
    this.list = folders;
    this.#onChange();
  }
}
