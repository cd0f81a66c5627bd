/** Rules and grants of one folder, read again when the window gets the focus, since their files may change outside. */
import { SvelteSet } from 'svelte/reactivity';
import type { Grant } from '#contract/permission.ts';
import type { Output } from '#contract/rpc.ts';
import type { Connection } from '#lib/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/client/request-error.ts';
import { succeeds, type Toasts } from '#lib/ui/toasts.ts';
import { text } from '#lib/words/text.ts';

type Permissions = Output<'permissions.list'>;

export class FolderPermissions {
  found = $state.raw<Permissions | null>(null);
  failure = $state.raw<RequestError | null>(null);
  /** Grants that are being revoked. */
  readonly busy = new SvelteSet<string>();
  readonly #connection: Connection;
  readonly #toasts: Toasts;
  #folder = '';

  constructor(connection: Connection, toasts: Toasts) {
    this.#connection = connection;
    this.#toasts = toasts;
  }

  async load(folder = this.#folder): Promise<void> {
    if (folder === '') return;
    if (folder !== this.#folder) this.found = null;
    this.#folder = folder;
    try {
      const found = await this.#connection.request('permissions.list', { folder });
      if (folder !== this.#folder) return;
      this.found = found;
      this.failure = null;
    } catch (error) {
      if (folder === this.#folder) this.failure = asRequestError(error);
    }
  }

  async revoke({ id, agent, tool, pattern }: Grant): Promise<void> {
    if (this.busy.has(id)) return;
    this.busy.add(id);
    const done = await succeeds(this.#toasts, this.#connection.request('permissions.revoke', { grantId: id }));
    if (done) this.#toasts.info(text.permissions.revoked(agent, tool, pattern));
    this.busy.delete(id);
    await this.load();
  }
}
