/** Going back to before a message of a conversation: a look at what that does, doing it, and taking it back. */
import type { ChangeTarget, UndoneFile } from '#contract/change.ts';
import type { WorkflowRow } from '#contract/view.ts';
import type { Connection } from '#lib/client/connection.ts';
import { failureText } from '#lib/client/request-error.ts';
import { text } from '#lib/words/text.ts';

/** What is to go back. `leave`: files in conflict stay as they are. */
export interface Wish {
  files: boolean;
  messages: boolean;
  leave: boolean;
}

/** What was done last, in one line, and what takes it back. */
export interface RewindReport {
  sentence: string;
  failed: boolean;
  /** The files of this can be done again. */
  files: ChangeTarget | null;
  /** The lead can be told again of this workflow and of every later one. */
  messages: string | null;
}

export class Rewind {
  /** The message that the person is asked about, and what to do once they have answered or thought better of it. */
  asked = $state.raw<{ workflow: WorkflowRow; onclose?: (() => void) | undefined } | null>(null);
  report = $state.raw<RewindReport | null>(null);
  /** Something is being done, and nothing else can be. */
  busy = $state(false);
  readonly #connection: Connection;
  readonly #conversationId: string;
  readonly #changed: () => void;

  /** `changed` is called when files may be different. */
  constructor(connection: Connection, conversationId: string, changed: () => void) {
    this.#changed = changed;
    this.#connection = connection;
    this.#conversationId = conversationId;
  }

  /** What going back would do to files. Rejects with a `RequestError`, `not_found` where there is nothing to put back. */
  preview(workflowId: string): Promise<UndoneFile[]> {
    return this.#undo({ target: { fromWorkflowId: workflowId }, preview: true });
  }

  /** Reverts both in one request: both or nothing. The result goes to `report`. */
  go(workflowId: string, { files, messages, leave }: Wish): Promise<void> {
    return this.#act(async () => {
      const target = { fromWorkflowId: workflowId };
      const done = messages
        ? await this.#leave(workflowId, true, { files, leave })
        : await this.#undo({ target, leave });
      const hasChanged = done.some(({ outcome }) => outcome === 'put_back' || outcome === 'merged');
      const sentences = [files && text.changes.done(done, false), messages && text.changes.rewind.done];
      return {
        sentence: sentences.filter((sentence) => sentence !== false).join(' '),
        files: hasChanged ? target : null,
        messages: messages ? workflowId : null,
      };
    });
  }

  /** Nothing is asked any more. */
  close(): void {
    const asked = this.asked;
    this.asked = null;
    asked?.onclose?.();
  }

  redoFiles(target: ChangeTarget): Promise<void> {
    const { messages = null } = this.report ?? {};
    return this.#act(async () => ({
      sentence: text.changes.done(await this.#undo({ target, redo: true }), true),
      files: null,
      messages,
    }));
  }

  /** Tells the lead again of this workflow and of every later one. */
  tell(workflowId: string): Promise<void> {
    const { files = null } = this.report ?? {};
    return this.#act(async () => {
      await this.#leave(workflowId, false, {});
      return { sentence: text.changes.rewind.told, files, messages: null };
    });
  }

  #undo(asked: { target: ChangeTarget; redo?: boolean; preview?: boolean; leave?: boolean }): Promise<UndoneFile[]> {
    return this.#connection.request('change.undo', { conversationId: this.#conversationId, ...asked });
  }

  async #leave(workflowId: string, left: boolean, how: Partial<Pick<Wish, 'files' | 'leave'>>): Promise<UndoneFile[]> {
    const rewind = { conversationId: this.#conversationId, workflowId, left, ...how };
    return (await this.#connection.request('conversation.rewind', rewind)).files;
  }

  /** Runs one at a time. */
  async #act(work: () => Promise<Omit<RewindReport, 'failed'>>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      this.report = { ...(await work()), failed: false };
    } catch (error) {
      this.report = { sentence: failureText(error), failed: true, files: null, messages: null };
    }
    this.busy = false;
    this.#changed();
  }
}
