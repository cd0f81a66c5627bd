/** One agent's file in the editor: text and form stay in step, and unsaved edits are kept as a draft. */
import type { AgentLint, AgentText, AgentValue } from '#contract/agent.ts';
import type { UnsavedPrompt } from '#contract/agents/prompt-file.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { asRequestError, failureText, type RequestError } from '#lib/words/request-error.ts';
import { dropAgentDraft, keepAgentDraft, readAgentDraft } from './agent-drafts.ts';

type Values = Readonly<Record<string, AgentValue>>;

/** Delay of a check after the last key press. */
const CHECK_MS = 200;

export class AgentEditor {
  text = $state('');
  /** The check of the text as it was last sent. */
  lint = $state.raw<AgentLint | null>(null);
  /** The file as it was when editing began; null until it was read. */
  base = $state.raw<AgentText | null>(null);
  /** The file on disk where both it and the text changed: a conflict to resolve; `gone` where it was deleted. */
  theirs = $state.raw<AgentText | 'gone' | null>(null);
  failure = $state.raw<RequestError | null>(null);
  /** Why the last change of the form, or the last save, failed; empty where it did not. */
  problem = $state('');
  saving = $state(false);
  /** The unsaved text of the prompt file; null if it is unchanged. */
  prompt = $state.raw<UnsavedPrompt | null>(null);
  readonly folder: string;
  readonly file: string;
  readonly #connection: Connection;
  /** Changes of the form that are not in the text yet: to be sent, and being sent. */
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
    const { base, text, prompt } = this;
    return base !== null && (base.hash === null || text !== base.text || prompt !== null);
  }

  get readOnly(): string | null {
    return this.base?.readOnly ?? null;
  }

  /** Values of the form by key; null where the text cannot be parsed. */
  get values(): Values | null {
    const values = this.lint?.values ?? null;
    return values && { ...values, ...this.#sent, ...this.#changes };
  }

  /** Reads the file from disk and merges it: adopted where the text is unchanged, otherwise `theirs`. */
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
    // Saved while it was read: the result may be older.
    if (this.base !== base) return this.reload();
    if (base === null) this.#begin(now);
    else this.#compare(base, now);
  }

  /** Takes the text as it was typed. */
  input(text: string): void {
    this.text = text;
    this.#storeDraft();
    this.#scheduleCheck();
  }

  /** Takes a change of the form; null removes the key. */
  change(key: string, value: AgentValue): void {
    this.#changes = { ...this.#changes, [key]: value };
    this.#scheduleCheck();
  }

  /** Saves the text. Returns whether it is on disk; otherwise `problem` or `theirs` (code `conflict`) says why not. */
  async save(): Promise<boolean> {
    this.saving = true;
    try {
      await this.#flush();
      const { base, text, folder, file, prompt } = this;
      if (base === null || this.theirs !== null) return false;
      const input = { folder, file, text, before: base.hash, ...(prompt && { prompt }) };
      const saved = await this.#connection.request('agents.save', input);
      this.base = saved;
      this.prompt = null;
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

  /** Resolves a conflict with the file on disk. Returns false where it was deleted. */
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

  /** Resolves a conflict with the own text: saving will replace the file on disk. */
  keepMine(): void {
    if (this.base && this.theirs) this.base = { ...this.base, hash: this.theirs === 'gone' ? null : this.theirs.hash };
    this.theirs = null;
    this.#storeDraft();
  }

  /** Discards unsaved edits; the draft of a new file is removed. */
  discard(): void {
    this.#changes = {};
    this.problem = '';
    if (this.base && this.base.hash !== null) this.#load(this.base);
    else dropAgentDraft(this.file);
  }

  /** Sends pending changes of the form, so that they reach the draft. */
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
    this.prompt = draft.prompt;
    this.base = now === 'gone' ? { file, source, text: '', hash: null, readOnly: null } : { ...now, hash: before };
    this.#compare(this.base, now);
    this.#scheduleCheck();
  }

  #compare(base: AgentText, now: AgentText | 'gone'): void {
    const hash = now === 'gone' ? null : now.hash;
    if (hash === base.hash) this.theirs = null;
    else if (now !== 'gone' && (!this.dirty || (now.text === this.text && this.prompt === null))) this.#load(now);
    else this.theirs = now;
  }

  #load(now: AgentText): void {
    this.base = now;
    this.text = now.text;
    this.prompt = null;
    this.theirs = null;
    this.#storeDraft();
    this.#scheduleCheck();
  }

  #storeDraft(): void {
    const { base, text, folder, file, prompt } = this;
    if (base === null) return;
    if (this.dirty) keepAgentDraft({ folder, file, source: base.source, text, before: base.hash, prompt });
    else dropAgentDraft(file);
  }

  #scheduleCheck(): void {
    this.#isDue = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#flush(), this.lint === null ? 0 : CHECK_MS);
  }

  /** Runs checks one after another until none is due. */
  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#checking ??= this.#check().finally(() => (this.#checking = null));
    return this.#checking;
  }

  async #check(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      const { text, folder, file, prompt } = this;
      const input = { folder, file, text, ...(prompt && { prompt }) };
      const changes = this.#changes;
      this.#changes = {};
      this.#sent = changes;
      try {
        const isEdit = Object.keys(changes).length > 0;
        const lint = isEdit
          ? await this.#connection.request('agents.edit', { ...input, changes })
          : await this.#connection.request('agents.lint', input);
        if (this.text === text && this.prompt === prompt) this.#applyLint(lint);
        else {
          // Typed, saved or loaded meanwhile: apply the form's changes to the newer text.
          this.#changes = { ...changes, ...this.#changes };
          this.#isDue = true;
        }
      } catch (error) {
        this.problem = failureText(error);
      } finally {
        this.#sent = {};
      }
    }
  }

  #applyLint(lint: AgentLint): void {
    this.lint = lint;
    this.problem = '';
    const prompt = lint.prompt?.isChanged ? { file: lint.prompt.file, text: lint.prompt.text } : null;
    const isSame = this.text === lint.text && this.prompt?.file === prompt?.file && this.prompt?.text === prompt?.text;
    if (isSame) return;
    this.text = lint.text;
    this.prompt = prompt;
    this.#storeDraft();
  }
}
