/** The form of a rule: new, or one that is changed; with what it would decide. */
import type { Rule } from '#contract/permission.ts';
import type { RuleChange, RuleEdit, RuleFile, RulePreview, RuleScope } from '#contract/permissions/rule-edit.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';
import { formOf, isRisky, placeOf, type RuleForm, wishOf } from '#lib/view/permissions/rule-preview.ts';

const EMPTY: RuleForm = { effect: 'ask', about: 'write_file', agent: '', pattern: '' };

export class RuleDraft {
  readonly form: RuleForm;
  /** The rule that is changed; null for a new one. */
  readonly rule: Rule | null;
  scope = $state<RuleScope>('user');
  /** Place in the file afterwards, from 0; null: where it is, or the last one. */
  to = $state<number | null>(null);
  preview = $state.raw<RulePreview | null>(null);
  failure = $state.raw<RequestError | null>(null);
  saving = $state(false);
  /** The files as the person has looked at them. */
  readonly files: readonly RuleFile[];
  readonly #file = $derived.by(() => this.files.find(({ scope }) => scope === this.scope));
  /** How many rules the file has then. */
  readonly count = $derived.by(() => (this.#file?.rules.length ?? 0) + (this.rule ? 0 : 1));
  /** The place of the rule then, from 0. */
  readonly place = $derived.by(() => (this.to === null ? this.#placeNow() : Math.min(this.to, this.count - 1)));
  readonly change = $derived.by((): RuleChange => {
    const { rule, place } = this;
    const wish = wishOf(this.form);
    const isThere = place === this.#placeNow();
    const edit: RuleEdit = rule
      ? { kind: 'change', index: placeOf(rule), rule: wish, ...(isThere ? {} : { to: place }) }
      : { kind: 'add', rule: wish, ...(isThere ? {} : { at: place }) };
    return { scope: this.scope, base: this.#file?.hash ?? null, edit };
  });
  readonly #connection: Connection;
  readonly #folder: string;
  /** Counts what was asked: an answer that is late says nothing of what is written now. */
  #asked = 0;
  /** What the preview is of, as JSON; empty where there is none. */
  #shown = '';

  /** `form`: what stands in it at first; default: the rule. */
  constructor(
    connection: Connection,
    {
      folder,
      files,
      rule = null,
      form = rule ? formOf(rule) : EMPTY,
      to = null,
    }: {
      folder: string;
      files: readonly RuleFile[];
      rule?: Rule | null;
      form?: RuleForm;
      to?: number | null;
    },
  ) {
    this.#connection = connection;
    this.#folder = folder;
    this.files = files;
    this.rule = rule;
    this.scope = rule?.scope ?? 'user';
    this.to = to;
    this.form = $state({ ...form });
  }

  /** In another file it is the last one again. */
  writeIn(scope: RuleScope): void {
    this.scope = scope;
    this.to = null;
  }

  /** Where it stands as long as nobody moves it. */
  #placeNow(): number {
    return this.rule ? placeOf(this.rule) : this.count - 1;
  }

  /** Asks what the change would decide. */
  async look(change: RuleChange): Promise<void> {
    const mine = (this.#asked += 1);
    try {
      const preview = await this.#connection.request('rules.preview', { folder: this.#folder, change });
      if (mine !== this.#asked) return;
      this.preview = preview;
      this.#shown = JSON.stringify(change);
      this.failure = null;
    } catch (error) {
      if (mine !== this.#asked) return;
      this.preview = null;
      this.failure = asRequestError(error);
    }
  }

  /**
   * The hash of the file with the rule; null where it was not written. What the person has not been warned of yet is shown
   * first, and written with the next press.
   */
  async save(): Promise<string | null> {
    if (this.saving) return null;
    this.saving = true;
    try {
      const { change } = this;
      if (this.#shown !== JSON.stringify(change)) {
        await this.look(change);
        if (this.failure || !this.preview || isRisky(this.preview)) return null;
      }
      const { hash } = await this.#connection.request('rules.change', { folder: this.#folder, change });
      return hash;
    } catch (error) {
      this.#asked += 1;
      this.failure = asRequestError(error);
      return null;
    } finally {
      this.saving = false;
    }
  }
}
