/** Tells whether a scrolled box goes on below its lower edge. */
import type { Attachment } from 'svelte/attachments';

export class ScrollEdge {
  hasMoreBelow = $state(false);

  /** For the element that scrolls; its first child is what grows. */
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
