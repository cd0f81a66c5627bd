/** Announces the replies of a conversation to screen readers: the streamed words, then the outcome. */
import type { WorkflowRow } from '#contract/view.ts';
import { LiveAnnouncer } from '#lib/ui/live-announcer.svelte.ts';
import { text } from '#lib/words/text.ts';

export class ReplyAnnouncer {
  readonly #live = new LiveAnnouncer();
  /** Id of the workflow whose reply is announced. */
  #workflowId: string | null = null;

  /** The content of a polite live region. */
  get announcement(): string {
    return this.#live.announcement;
  }

  /** Call after each change. `words`: text of the message that is being written; empty between two messages. */
  update(workflows: readonly Pick<WorkflowRow, 'id' | 'status' | 'outcome'>[], words: string): void {
    const running = workflows.find(({ status }) => status === 'running');
    if (this.#workflowId !== null && running?.id !== this.#workflowId) {
      const outcome = workflows.find(({ id }) => id === this.#workflowId)?.outcome;
      if (outcome) this.#live.end(() => text.turn.replyEnd[outcome]);
    }
    this.#workflowId = running?.id ?? null;
    if (words !== '') this.#live.update(words);
    else if (running) this.#live.complete();
  }

  stop(): void {
    this.#live.stop();
  }
}
