/** What the agents of a conversation changed, loaded while somebody looks at it, and what a person does about it. */
import { SvelteMap } from 'svelte/reactivity';
import type { ChangeDiff, ChangeRow, ChangeTarget, CommitPreview, UndoneFile } from '#contract/change.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { asRequestError, failureText, type RequestError } from '#lib/words/request-error.ts';
import { text } from '#lib/words/text.ts';
import type { Part } from './groups.ts';
import { type LineCounts, lineCounts } from './hunks.ts';
import { tallyOf } from './outcomes.ts';

/** What came of the last thing that was done, in one line. */
export interface Report {
  sentence: string;
  failed: boolean;
  /** What takes it back; null where nothing does. */
  redo: ChangeTarget | null;
  /** It is what whoever asked for it expects. */
  plain?: boolean;
  /** Files in conflict stay as they are. */
  left?: boolean;
}

export class Changes {
  open = $state(false);
  grouping = $state<'agent' | 'file'>('agent');
  /** Null until it was loaded once. */
  rows = $state.raw<readonly ChangeRow[] | null>(null);
  failure = $state.raw<RequestError | null>(null);
  report = $state.raw<Report | null>(null);
  /** What is looked at before it is undone: all of an agent, or what could not be undone because files were changed since. */
  lookedAt = $state.raw<ChangeTarget | null>(null);
  /** Something is being done, and nothing else can be. */
  busy = $state(false);
  /** Counts what was loaded: differences that are shown are asked for again. */
  version = $state(0);
  /** Of what calls did to files, where it is known; by `partKey`. */
  readonly counts = new SvelteMap<string, LineCounts>();
  readonly #connection: Connection;
  readonly #conversationId: string;
  #loading = false;
  #again = false;

  constructor(connection: Connection, conversationId: string) {
    this.#connection = connection;
    this.#conversationId = conversationId;
  }

  show(): void {
    this.open = true;
    void this.load();
  }

  close(): void {
    this.open = false;
    this.report = null;
    this.lookedAt = null;
  }

  /** Where only one undo was looked at: all changes are known no longer. What is being done goes on, and is told. */
  lookAway(): void {
    this.open = false;
    this.lookedAt = null;
    this.rows = null;
    this.failure = null;
  }

  /** Loads nothing while it is closed; while it loads, once more after that. An error goes to `failure`. */
  async load(): Promise<void> {
    if (!this.open) return;
    if (this.#loading) {
      this.#again = true;
      return;
    }
    this.#loading = true;
    try {
      const rows = await this.#connection.request('change.list', { conversationId: this.#conversationId });
      if (this.open) this.rows = rows;
      this.version += 1;
      this.failure = null;
    } catch (error) {
      this.failure = asRequestError(error);
    }
    this.#loading = false;
    if (!this.#again) return;
    this.#again = false;
    await this.load();
  }

  /** What a call did to a file. Rejects with a `RequestError`. */
  async diff(part: Part): Promise<ChangeDiff> {
    const { runId, toolCallId, path } = part;
    const conversationId = this.#conversationId;
    const diff = await this.#connection.request('change.diff', { conversationId, runId, toolCallId, path });
    this.counts.set(partKey(part), lineCounts(diff.hunks));
    return diff;
  }

  /** What undoing would do, file by file. Rejects with a `RequestError`. */
  preview(target: ChangeTarget): Promise<UndoneFile[]> {
    const conversationId = this.#conversationId;
    return this.#connection.request('change.undo', { conversationId, target, preview: true });
  }

  /** `leave`: files in conflict stay as they are. What came of it goes to `report`. */
  async undo(target: ChangeTarget, { redo = false, leave = false } = {}): Promise<void> {
    await this.#act(async (conversationId) => {
      // Of many files it takes seconds.
      this.report = { sentence: text.changes.working, failed: false, redo: null, plain: true };
      const done = await this.#connection.request('change.undo', { conversationId, target, redo, leave });
      const hasChanged = done.some(({ outcome }) => outcome === 'put_back' || outcome === 'merged');
      const sentence =
        target.hunk !== undefined && hasChanged
          ? text.changes.donePart(target.hunk + 1, target.path ?? '', redo)
          : text.changes.done(done, redo);
      const plain = done.every(({ outcome }) => outcome === 'put_back');
      const left = tallyOf(done).conflicts > 0;
      return { sentence, failed: false, redo: !redo && hasChanged ? target : null, plain, left };
    });
    if (!redo && !leave && this.report?.failed) await this.#lookForConflict(target);
  }

  async #lookForConflict(target: ChangeTarget): Promise<void> {
    const files = await this.preview(target).catch(() => []);
    if (tallyOf(files).conflicts > 0) this.lookedAt = target;
  }

  keep(target: ChangeTarget, kept: boolean): Promise<void> {
    return this.#act(async (conversationId) => {
      await this.#connection.request('change.keep', { conversationId, target, kept });
      return null;
    });
  }

  /** Returns the programs that a commit runs. Rejects with a `RequestError`. */
  previewCommit(): Promise<CommitPreview> {
    return this.#connection.request('change.preview-commit', { conversationId: this.#conversationId });
  }

  /**
   * Rejects with a `RequestError`. On success, `report` contains the short name of the commit. `programs`: hash of the preview
   * that the person saw.
   */
  async commit(paths: readonly string[], message: string, programs: string): Promise<void> {
    const input = { conversationId: this.#conversationId, message, paths: [...paths], programs };
    const { commit } = await this.#connection.request('change.commit', input);
    this.report = { sentence: text.changes.commit.done(paths.length, commit), failed: false, redo: null };
    await this.load();
  }

  /** One at a time; all that is loaded may be different afterwards, also where it failed. */
  async #act(work: (conversationId: string) => Promise<Report | null>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      this.report = await work(this.#conversationId);
    } catch (error) {
      this.report = { sentence: failureText(error), failed: true, redo: null };
    }
    await this.load();
    this.busy = false;
  }
}

export function partKey({ runId, toolCallId, path }: Pick<Part, 'runId' | 'toolCallId' | 'path'>): string {
  return JSON.stringify([runId, toolCallId, path]);
}
