/** Previews and does a rewind to before a message of a conversation. */
import type { ChangeTarget, UndoneFile } from '#contract/change.ts';
import type { WorkflowRow } from '#contract/view.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { failureText } from '#lib/words/request-error.ts';
import { text } from '#lib/words/text.ts';

/** The parts to rewind. `leave`: skips files in conflict. */
export interface RewindChoice {
  files: boolean;
  messages: boolean;
  leave: boolean;
}

/** The result of the last rewind in one line, and its files. */
export interface RewindReport {
  sentence: string;
  failed: boolean;
  /** Target for redoing the files; null if none was changed. */
  files: ChangeTarget | null;
}

export class Rewind {
  /** The message of the open dialog, and a function that is called when it closes. */
  asked = $state.raw<{ workflow: WorkflowRow; onclose?: (() => void) | undefined } | null>(null);
  report = $state.raw<RewindReport | null>(null);
  /** True while a rewind or redo runs. No other one can start. */
  busy = $state(false);
  readonly #connection: Connection;
  readonly #conversationId: string;
  readonly #changed: () => void;

  /** Calls `changed` when files may have changed. */
  constructor(connection: Connection, conversationId: string, changed: () => void) {
    this.#changed = changed;
    this.#connection = connection;
    this.#conversationId = conversationId;
  }

  /** Returns the effect on files. Rejects with a `RequestError`; its code is `not_found` if there is nothing to undo. */
  preview(workflowId: string): Promise<UndoneFile[]> {
    return this.#undo({ target: { fromWorkflowId: workflowId }, preview: true });
  }

  /**
   * Rewinds files, messages, or both in one request that does both or neither. Sets `report` to the result of the files.
   * Resolves with the id of the fork; null if there is none.
   */
  async go(workflowId: string, { files, messages, leave }: RewindChoice): Promise<string | null> {
    const target = { fromWorkflowId: workflowId };
    const message = { conversationId: this.#conversationId, workflowId };
    let made: string | null = null;
    await this.#act(async () => {
      if (!messages) return this.#reportUndo(target, await this.#undo({ target, leave }));
      if (!files) {
        made = (await this.#connection.request('conversation.fork', { ...message, end: 'before' })).id;
        return null;
      }
      const done = await this.#connection.request('conversation.rewind', { ...message, leave });
      made = done.conversation.id;
      return this.#reportUndo(target, done.files);
    });
    return made;
  }

  /** Closes the dialog. */
  close(): void {
    const asked = this.asked;
    this.asked = null;
    asked?.onclose?.();
  }

  redoFiles(target: ChangeTarget): Promise<void> {
    return this.#act(async () => ({
      sentence: text.changes.done(await this.#undo({ target, redo: true }), true),
      files: null,
    }));
  }

  #reportUndo(target: ChangeTarget, done: readonly UndoneFile[]): Omit<RewindReport, 'failed'> {
    const hasChanged = done.some(({ outcome }) => outcome === 'put_back' || outcome === 'merged');
    return { sentence: text.changes.done(done, false), files: hasChanged ? target : null };
  }

  #undo(asked: { target: ChangeTarget; redo?: boolean; preview?: boolean; leave?: boolean }): Promise<UndoneFile[]> {
    return this.#connection.request('change.undo', { conversationId: this.#conversationId, ...asked });
  }

  /** Runs one at a time. */
  async #act(work: () => Promise<Omit<RewindReport, 'failed'> | null>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      const report = await work();
      this.report = report && { ...report, failed: false };
    } catch (error) {
      this.report = { sentence: failureText(error), failed: true, files: null };
    }
    this.busy = false;
    this.#changed();
  }
}
