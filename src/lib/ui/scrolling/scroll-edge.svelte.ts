/** Tracks whether a scroll container has more content below its visible part. */
import type { Attachment } from 'svelte/attachments';

export class ScrollEdge {
  hasMoreBelow = $state(false);

  /** For the scrolling element; its first child is the content that grows. */
  readonly attach: Attachment<HTMLElement> = (box) => {
    const look = (): void => {
      this.hasMoreBelow = box.scrollHeight - box.scrollTop - box.clientHeight > 1;
    };
    const observer = new ResizeObserver(look);
    observer.observe(box);
    if (box.firstElementChild) observer.observe(box.firstElementChild);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', look);
    };
  };
}
