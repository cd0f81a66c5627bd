/** Keeps a scrolled column at its end while it grows, unless the reader scrolled up. */
import type { Attachment } from 'svelte/attachments';

const NEAR_PX = 32;

export class Follow {
  /** Whether the end is in sight. */
  atEnd = $state(true);
  #column: HTMLElement | null = null;

  /** For the element that scrolls; its first child is what grows. */
  readonly attach: Attachment<HTMLElement> = (column) => {
    this.#column = column;
    const observer = new ResizeObserver(() => {
      if (this.atEnd) column.scrollTop = column.scrollHeight;
    });
    observer.observe(column);
    if (column.firstElementChild) observer.observe(column.firstElementChild);
    // Only a reader moves up: a scroll event may come after the column grew, and must not count as leaving its end.
    let last = column.scrollTop;
    const onScroll = (): void => {
      if (column.scrollHeight - column.scrollTop - column.clientHeight < NEAR_PX) this.atEnd = true;
      else if (column.scrollTop < last) this.atEnd = false;
      last = column.scrollTop;
    };
    column.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      column.removeEventListener('scroll', onScroll);
      this.#column = null;
    };
  };

  toEnd(): void {
    this.atEnd = true;
    if (this.#column) this.#column.scrollTop = this.#column.scrollHeight;
  }
}
