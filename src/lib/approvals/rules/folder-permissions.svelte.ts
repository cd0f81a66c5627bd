/** Rules and grants of one folder, read again when the window gets the focus, since their files may change outside. */
import { SvelteSet } from 'svelte/reactivity';
import type { Grant, Rule } from '#contract/permission.ts';
import type { RuleChange, RuleEdit, RulePreview, RuleScope } from '#contract/permissions/rule-edit.ts';
import type { Output } from '#contract/rpc.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { asRequestError, failureText, type RequestError } from '#lib/words/request-error.ts';
import { succeeds, type Toasts } from '#lib/ui/toasts.ts';
import { figuresOf, placeOf } from '#lib/view/permissions/rule-preview.ts';
import { text } from '#lib/words/text.ts';

type Permissions = Output<'permissions.list'>;

export class FolderPermissions {
  found = $state.raw<Permissions | null>(null);
  /** The files with their rules, as they were last looked at. */
  rules = $state.raw<Output<'rules.list'> | null>(null);
  /** What the rules decide about the last calls; null where that is not known. */
  decided = $state.raw<RulePreview | null>(null);
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
    if (folder !== this.#folder) this.found = this.rules = this.decided = null;
    this.#folder = folder;
    try {
      const [found, rules] = await Promise.all([
        this.#connection.request('permissions.list', { folder }),
        this.#connection.request('rules.list', { folder }),
      ]);
      if (folder !== this.#folder) return;
      this.found = found;
      this.rules = rules;
      this.failure = null;
    } catch (error) {
      if (folder === this.#folder) this.failure = asRequestError(error);
      return;
    }
    // Behind the rest, which needs none of it.
    const decided = await this.#connection.request('rules.preview', { folder }).catch(() => null);
    if (folder === this.#folder) this.decided = decided;
  }

  /** Takes a rule out of its file, and offers to put it back. `sentence`: what is said of it. */
  async remove(rule: Rule, sentence: string): Promise<void> {
    await this.#make(
      this.#changeOf(rule.scope, { kind: 'remove', index: placeOf(rule) }),
      text.rules.removed(sentence),
    );
  }

  /**
   * Gives a rule another place in its file, and offers to take that back. False where nothing was written, because it would
   * change what is decided: that is to be looked at first.
   */
  async move(rule: Rule, to: number, sentence: string): Promise<boolean> {
    const change = this.#changeOf(rule.scope, { kind: 'move', index: placeOf(rule), to });
    try {
      const preview = await this.#connection.request('rules.preview', { folder: this.#folder, change });
      if (preview.losesTrust || figuresOf(preview).changed.length > 0) return false;
    } catch (error) {
      this.#toasts.error(failureText(error));
      await this.load();
      return true;
    }
    await this.#make(change, text.rules.moved(sentence, to + 1));
    return true;
  }

  #changeOf(scope: RuleScope, edit: RuleEdit): RuleChange {
    return { scope, base: this.rules?.files.find((file) => file.scope === scope)?.hash ?? null, edit };
  }

  async #make(change: RuleChange, said: string): Promise<void> {
    try {
      const { hash } = await this.#connection.request('rules.change', { folder: this.#folder, change });
      this.offerUndo(said, change.scope, hash);
    } catch (error) {
      this.#toasts.error(failureText(error));
    }
    await this.load();
  }

  /** `hash`: of the file as the change has left it. */
  offerUndo(said: string, scope: RuleScope, hash: string | null): void {
    const folder = this.#folder;
    this.#toasts.offer(said, text.rules.undo, () => {
      const undone = this.#connection.request('rules.undo', { folder, scope, base: hash });
      void succeeds(this.#toasts, undone).then((done) => {
        if (done) this.#toasts.info(text.rules.undone);
        return this.load();
      });
    });
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
