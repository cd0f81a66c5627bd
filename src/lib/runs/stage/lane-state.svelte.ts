/** What the reader does in one lane of the stage: how far it follows, and what is being written there. */
import type { Attachment } from 'svelte/attachments';
import { AutoScroll } from '#lib/ui/scrolling/auto-scroll.svelte.ts';
import { readDraft, writeDraft } from '#lib/app/message-drafts.ts';

export class LaneState {
  /** Follows the end of the lane's own transcript. */
  readonly scroll = new AutoScroll();
  readonly #key: string;
  #draft = $state('');

  constructor(runId: string) {
    this.#key = `run-${runId}`;
    this.#draft = readDraft(this.#key);
  }

  /** What the person writes to it and has not said; kept across a reload. */
  get draft(): string {
    return this.#draft;
  }

  set draft(text: string) {
    this.#draft = text;
    writeDraft(this.#key, text);
  }

  /** The focus is in what it says. */
  reading = $state(false);

  /** It was started again: the focus and the sight are to come to it. */
  wanted = $state(false);

  /** For the lane's element. A question that closes holds the focus until it is off the page. */
  readonly goTo: Attachment<HTMLElement> = (element) => {
    const go = (): void => {
      if (document.querySelector('[data-question]')) {
        frame = requestAnimationFrame(go);
        return;
      }
      this.wanted = false;
      element.focus({ preventScroll: true });
      element.scrollIntoView({ block: 'nearest' });
    };
    let frame = requestAnimationFrame(go);
    return () => cancelAnimationFrame(frame);
  };

  /** Whether the reader would lose something if the lane went away. */
  get isHeld(): boolean {
    return this.reading || !this.scroll.atEnd || this.#draft.trim() !== '';
  }
}
