/** Keeps a scroll container at its end while its content grows, unless the reader scrolled up. */
import type { Attachment } from 'svelte/attachments';

const NEAR_PX = 32;
/** How long after a key, wheel or touch event a scroll counts as the reader's. */
const TOUCH_MS = 600;
/** A pressed pointer that moves farther than this selects, or drags. */
const DRAG_PX = 4;
const RELEASES = ['pointerup', 'pointercancel', 'blur'] as const;
const TOUCHES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

export class AutoScroll {
  /** Whether the end is visible, so that growth scrolls along. */
  atEnd = $state(true);
  #column: HTMLElement | null = null;

  /** For the scrolling element; its first child is the content that grows. */
  readonly attach: Attachment<HTMLElement> = (column) => {
    this.#column = column;
    // Content under a pressed pointer must not move, or the click would be lost.
    let pressed = false;
    /** Where it stood as the pointer was pressed, until that is no click any more. A virtual list scrolls by what grew in it. */
    let held: { top: number; x: number; y: number } | null = null;
    const settle = (): void => {
      if (held) column.scrollTop = held.top;
      else if (this.atEnd && !pressed) column.scrollTop = column.scrollHeight;
    };
    const onPress = ({ clientX: x, clientY: y }: PointerEvent): void => {
      pressed = true;
      held = { top: column.scrollTop, x, y };
    };
    const onMove = ({ clientX, clientY }: PointerEvent): void => {
      if (held && Math.hypot(clientX - held.x, clientY - held.y) > DRAG_PX) held = null;
    };
    const onRelease = (): void => {
      pressed = false;
      held = null;
      // After the click event.
      requestAnimationFrame(settle);
    };
    const observer = new ResizeObserver(settle);
    observer.observe(column);
    const content = column.firstElementChild;
    const measure = content instanceof HTMLElement ? deepMeasure(content) : null;
    if (measure) observer.observe(measure.inner);
    let touched = -Infinity;
    const onTouch = ({ type }: Event): void => {
      touched = performance.now();
      if (type !== 'pointerdown') held = null;
    };
    // Only a reader moves up. A scroll event may come after the column grew, or because what is above the sight was
    // measured: neither counts as leaving the end.
    let last = { top: column.scrollTop, height: column.scrollHeight };
    const onScroll = (): void => {
      if (held) return void (column.scrollTop = held.top);
      const { scrollTop: top, scrollHeight: height } = column;
      const byReader = height === last.height || performance.now() - touched < TOUCH_MS;
      if (isNearEnd(column)) this.atEnd = true;
      else if (top < last.top && byReader) this.atEnd = false;
      last = { top, height };
    };
    column.addEventListener('scroll', onScroll, { passive: true });
    column.addEventListener('pointerdown', onPress, { passive: true });
    column.addEventListener('pointermove', onMove, { passive: true });
    for (const release of RELEASES) window.addEventListener(release, onRelease, { passive: true });
    for (const touch of TOUCHES) column.addEventListener(touch, onTouch, { passive: true });
    return () => {
      observer.disconnect();
      measure?.outer.remove();
      column.removeEventListener('scroll', onScroll);
      column.removeEventListener('pointerdown', onPress);
      column.removeEventListener('pointermove', onMove);
      for (const release of RELEASES) window.removeEventListener(release, onRelease);
      for (const touch of TOUCHES) column.removeEventListener(touch, onTouch);
      this.#column = null;
    };
  };

  scrollToEnd(): void {
    this.atEnd = true;
    if (this.#column) this.#column.scrollTop = this.#column.scrollHeight;
  }

  /** Stops following, for instance to show a search match; follows on if the end is still visible afterwards. */
  pause(): void {
    const column = this.#column;
    this.atEnd = false;
    requestAnimationFrame(() => {
      if (column && isNearEnd(column)) this.atEnd = true;
    });
  }
}

/** More elements than lie between the content and what a list in it observes. */
const DEEP = 12;

/**
 * An element as high as the content, deep inside of it. Of a size that changes because an observer was told of another one,
 * the browser tells in the same frame only where it lies deeper; else the content would be seen for a frame before it is
 * scrolled along.
 */
function deepMeasure(content: HTMLElement): { outer: HTMLElement; inner: HTMLElement } {
  const chain = Array.from({ length: DEEP }, () => document.createElement('span'));
  for (const [at, element] of chain.entries()) chain[at - 1]?.append(element);
  const [outer, inner] = [chain[0], chain.at(-1)];
  if (!outer || !inner) throw new Error('A chain has ends');
  outer.ariaHidden = 'true';
  Object.assign(inner.style, { position: 'absolute', top: '0', bottom: '0', left: '0', width: '0' });
  inner.style.pointerEvents = 'none';
  content.style.position = 'relative';
  content.append(outer);
  return { outer, inner };
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < NEAR_PX;
}
