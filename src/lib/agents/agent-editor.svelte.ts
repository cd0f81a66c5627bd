/** One agent's file in the editor: the text and the form follow each other, and nothing that was written is lost. */
import type { AgentLint, AgentText, AgentValue } from '#contract/agent.ts';
import type { Connection } from '#lib/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/client/request-error.ts';
import { dropAgentDraft, keepAgentDraft, readAgentDraft } from './agent-drafts.ts';

type Values = Readonly<Record<string, AgentValue>>;

/** After the last key was pressed. */
const CHECK_MS = 200;

export class AgentEditor {
  text = $state('');
  /** Of the text as it was last checked. */
  lint = $state.raw<AgentLint | null>(null);
  /** What the text was made from; null until it was read. */
  base = $state.raw<AgentText | null>(null);
  /** What the file became meanwhile, where the text was changed too; `gone` where it is not there any more. */
  theirs = $state.raw<AgentText | 'gone' | null>(null);
  failure = $state.raw<RequestError | null>(null);
  /** Why the last change of the form, or the last saving, did not happen. */
  problem = $state('');
  saving = $state(false);
  readonly folder: string;
  readonly file: string;
  readonly #connection: Connection;
  /** Of the form, not in the text yet: to be sent, and on their way. */
  #changes = $state.raw<Values>({});
  #sent = $state.raw<Values>({});
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDue = false;
  #checking: Promise<void> | null = null;

  constructor(connection: Connection, folder: string, file: string) {
    this.#connection = connection;
    this.folder = folder;
    this.file = file;
  }

  get dirty(): boolean {
    return this.base !== null && (this.base.hash === null || this.text !== this.base.text);
  }

  get readOnly(): string | null {
    return this.base?.readOnly ?? null;
  }

  /** Null where the text cannot be read as keys. */
  get values(): Values | null {
    const values = this.lint?.values ?? null;
    return values && { ...values, ...this.#sent, ...this.#changes };
  }

  /** Reads the file, also again after it changed. */
  async reload(): Promise<void> {
    const { folder, file, base } = this;
    let now: AgentText | 'gone';
    try {
      now = await this.#connection.request('agents.read', { folder, file });
      this.failure = null;
    } catch (caught) {
      const error = asRequestError(caught);
      if (error.code !== 'not_found') {
        this.failure = error;
        return;
      }
      now = 'gone';
    }
    // Saved meanwhile: what was read may be older.
    if (this.base !== base) return this.reload();
    if (base === null) this.#begin(now);
    else this.#compare(base, now);
  }

  /** What was written in the text. */
  input(text: string): void {
    this.text = text;
    this.#storeDraft();
    this.#scheduleCheck();
  }

  /** What was chosen in the form; null takes the key out. */
  change(key: string, value: AgentValue): void {
    this.#changes = { ...this.#changes, [key]: value };
    this.#scheduleCheck();
  }

  /** Whether it is on disk now; where it is not, `problem` or `theirs` says why. */
  async save(): Promise<boolean> {
    this.saving = true;
    try {
      await this.#flush();
      const { base, text, folder, file } = this;
      if (base === null || this.theirs !== null) return false;
      const saved = await this.#connection.request('agents.save', { folder, file, text, before: base.hash });
      this.base = saved;
      this.problem = '';
      this.#storeDraft();
      return true;
    } catch (caught) {
      const error = asRequestError(caught);
      if (error.code === 'conflict') await this.reload();
      else this.problem = error.message;
      return false;
    } finally {
      this.saving = false;
    }
  }

  /** The text becomes what is on disk; false where there is nothing. */
  takeTheirs(): boolean {
    const { theirs } = this;
    this.theirs = null;
    this.#changes = {};
    this.problem = '';
    if (theirs === 'gone') {
      dropAgentDraft(this.file);
      return false;
    }
    if (theirs) this.#load(theirs);
    return true;
  }

  /** What is on disk was seen: saving will replace it. */
  keepMine(): void {
    if (this.base && this.theirs) this.base = { ...this.base, hash: this.theirs === 'gone' ? null : this.theirs.hash };
    this.theirs = null;
    this.#storeDraft();
  }

  /** Back to what is on disk; of a new file nothing is left. */
  discard(): void {
    this.#changes = {};
    this.problem = '';
    if (this.base && this.base.hash !== null) this.#load(this.base);
    else dropAgentDraft(this.file);
  }

  /** What the form said last still comes into the draft. */
  close(): void {
    void this.#flush();
  }

  #begin(now: AgentText | 'gone'): void {
    const draft = readAgentDraft(this.file);
    if (now !== 'gone' && draft === null) return this.#load(now);
    if (draft === null) {
      this.theirs = 'gone';
      return;
    }
    const { file, source, text, before } = draft;
    this.text = text;
    this.base = now === 'gone' ? { file, source, text: '', hash: null, readOnly: null } : { ...now, hash: before };
    this.#compare(this.base, now);
    this.#scheduleCheck();
  }

  #compare(base: AgentText, now: AgentText | 'gone'): void {
    const hash = now === 'gone' ? null : now.hash;
    if (hash === base.hash) this.theirs = null;
    else if (now !== 'gone' && (!this.dirty || now.text === this.text)) this.#load(now);
    else this.theirs = now;
  }

  #load(now: AgentText): void {
    this.base = now;
    this.text = now.text;
    this.theirs = null;
    this.#storeDraft();
    this.#scheduleCheck();
  }

  #storeDraft(): void {
    const { base, text, folder, file } = this;
    if (base === null) return;
    if (this.dirty) keepAgentDraft({ folder, file, source: base.source, text, before: base.hash });
    else dropAgentDraft(file);
  }

  #scheduleCheck(): void {
    this.#isDue = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#flush(), this.lint === null ? 0 : CHECK_MS);
  }

  /** One check after the other, until nothing is due. */
  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#checking ??= this.#check().finally(() => (this.#checking = null));
    return this.#checking;
  }

  async #check(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      const { text, folder, file } = this;
      const changes = this.#changes;
      this.#changes = {};
      this.#sent = changes;
      try {
        const isEdit = Object.keys(changes).length > 0;
        const lint = isEdit
          ? await this.#connection.request('agents.edit', { folder, file, text, changes })
          : await this.#connection.request('agents.lint', { folder, file, text });
        if (this.text === text) this.#applyLint(lint);
        else {
          // Written meanwhile: what the form said is for the text as it is now.
          this.#changes = { ...changes, ...this.#changes };
          this.#isDue = true;
        }
      } catch (error) {
        this.problem = asRequestError(error).message;
      } finally {
        this.#sent = {};
      }
    }
  }

  #applyLint(lint: AgentLint): void {
    this.lint = lint;
    this.problem = '';
    if (this.text === lint.text) return;
    this.text = lint.text;
    this.#storeDraft();
  }
}
