/** Ignores clicks for a moment after a question appears or the window gets the focus. */
import type { Attachment } from 'svelte/attachments';

/** A click that was meant for something else must not become a yes. */
const HOLD_MS = 300;

export class ClickGuard {
  /** Whether clicks count. */
  ready = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;

  hold(): void {
    this.ready = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.ready = true), HOLD_MS);
  }

  /** Attachment: starts a hold when the element appears, and each time the window gets the focus or is shown. */
  readonly attach: Attachment = () => {
    const hold = (): void => this.hold();
    hold();
    window.addEventListener('focus', hold);
    document.addEventListener('visibilitychange', hold);
    return () => {
      clearTimeout(this.#timer);
      this.ready = false;
      window.removeEventListener('focus', hold);
      document.removeEventListener('visibilitychange', hold);
    };
  };
}
