/** The texts of one question that were seen to their end. A yes waits for those that must be read. */
import { untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import { lengthOf } from '#contract/visible-text.ts';

/** A text whose end was not on the screen yet. */
export interface Unseen {
  name: string;
  label: string;
}

interface Box {
  label: string;
  /** Null while the question is not on the screen. */
  element: HTMLElement | null;
  /**
   * Its end must be in sight: it was longer than its box at some time, and may have grown since, or it is what the question
   * is about, which may lie below the edge.
   */
  waits: boolean;
  /** The text, if reading it once is enough for all items of a batch; else null. */
  shared: string | null;
}

/** Texts up to these fit their boxes at any size of the window. */
const SURELY_FIT = { lines: 4, characters: 200 };
/** Boxes are scrolled by parts of pixels; a caret at the end leaves the padding below it out of sight. */
const OVERFLOW_PX = 2;
const END_PX = 8;
const END_CHARS = 100;
/** A page repeats the last line of the one before. */
const OVERLAP_PX = 24;
const MIN_PAGE_PX = 20;

export class SeenTexts {
  /** The most texts that were unread at once since the question came. */
  mostUnread = $state(0);
  readonly #boxes = new SvelteMap<string, Box>();
  readonly #seen = new SvelteSet<string>();
  /** Texts that were read in any item of the same batch. */
  readonly #readTexts: Set<string>;
  readonly #mustRead: (name: string) => boolean;

  constructor(readTexts: Set<string> = new SvelteSet(), mustRead: (name: string) => boolean = () => true) {
    this.#readTexts = readTexts;
    this.#mustRead = mustRead;
  }

  /**
   * Returns the texts that a yes waits for. `texts`: those of the question; one that was never on the screen waits too,
   * unless it is short and not `isStrict`.
   */
  unseen(texts: readonly { name: string; label: string; text: string; isStrict?: boolean }[]): Unseen[] {
    const never = texts.filter(
      ({ name, text, isStrict = false }) =>
        !this.#boxes.has(name) &&
        !this.#seen.has(name) &&
        !this.#readTexts.has(text) &&
        (isStrict || !surelyFits(text)),
    );
    const boxes = [...this.#boxes].flatMap(([name, { label, waits }]) =>
      waits && !this.#seen.has(name) && this.#mustRead(name) ? [{ name, label }] : [],
    );
    return [...boxes, ...never.map(({ name, label }) => ({ name, label }))];
  }

  countUnread(count: number): void {
    this.mostUnread = Math.max(this.mostUnread, count);
  }

  /** The end of a text was on the screen, or the person wrote it. */
  mark(name: string): void {
    this.#seen.add(name);
    const shared = untrack(() => this.#boxes.get(name)?.shared);
    if (shared) this.#readTexts.add(shared);
  }

  /**
   * Shows the next page of a text: scrolls what is around its box until the box is in sight, then the text within. Returns
   * false if the text is not on the screen.
   */
  showNextPage(name: string): boolean {
    const box = this.#boxes.get(name)?.element;
    if (!box) return false;
    scrollToNextPage(box);
    return true;
  }

  /** Leads to a text, so that keys scroll it. */
  show(name: string): void {
    const element = this.#boxes.get(name)?.element;
    element?.scrollIntoView({ block: 'end' });
    element?.focus({ preventScroll: true });
  }

  /** For a field with a text that has its box elsewhere in the question: read to its end here, it was seen too. */
  reader(name: string): Attachment<HTMLElement> {
    return (element) => {
      return watch(element, () => {
        if (isAtEnd(element) && isEndInSight(element)) this.mark(name);
      });
    };
  }

  /** For the box of a text, which scrolls, and can then be reached by keyboard. */
  box(
    name: string,
    label: string,
    { shared = null, isAlways = false }: { shared?: string | null; isAlways?: boolean } = {},
  ): Attachment<HTMLElement> {
    return (element) => {
      if (shared !== null && untrack(() => this.#readTexts.has(shared))) this.#seen.add(name);
      const look = (): void => {
        const overflows = element.scrollHeight - element.clientHeight > OVERFLOW_PX;
        const before = this.#boxes.get(name);
        const waits = isAlways || overflows || before?.waits === true;
        if (before?.element !== element || before.waits !== waits)
          this.#boxes.set(name, { label, element, waits, shared });
        if (waits && isAtEnd(element) && isEndInSight(element)) this.mark(name);
        // Reached by Tab where keys scroll it, and else from the list of what waits.
        if (overflows && element.tabIndex < 0) element.tabIndex = 0;
        else if (waits && !element.hasAttribute('tabindex')) element.tabIndex = -1;
      };
      const end = watch(element, look);
      return () => {
        end();
        const box = untrack(() => this.#boxes.get(name));
        if (box?.element === element) this.#boxes.set(name, { ...box, element: null });
      };
    };
  }
}

/** Calls `look` now, and whenever what is in sight of a box may be something else. */
function watch(element: HTMLElement, look: () => void): () => void {
  untrack(look);
  const observer = new ResizeObserver(look);
  observer.observe(element);
  for (const child of element.children) observer.observe(child);
  // The window makes room for the end too.
  observer.observe(document.documentElement);
  element.addEventListener('input', look, { passive: true });
  // What is around it may scroll, and scrolling does not bubble.
  document.addEventListener('scroll', look, { capture: true, passive: true });
  element.addEventListener('scroll', bringEnd, { passive: true });
  element.addEventListener('focus', caretToStart);
  // Whatever covered it may be gone.
  element.addEventListener('focus', look);
  return () => {
    observer.disconnect();
    element.removeEventListener('focus', caretToStart);
    element.removeEventListener('focus', look);
    element.removeEventListener('input', look);
    document.removeEventListener('scroll', look, { capture: true });
    element.removeEventListener('scroll', bringEnd);
  };
}

function isAtEnd(box: HTMLElement): boolean {
  return box.scrollHeight - box.clientHeight - box.scrollTop <= END_PX;
}

/** Not below the edge of what is around the box, nor covered. */
function isEndInSight(box: HTMLElement): boolean {
  const { left, width, bottom } = box.getBoundingClientRect();
  const shown = document.elementFromPoint(left + width / 2, bottom - END_PX);
  return shown !== null && box.contains(shown);
}

/** Keys scroll the box that has the focus and nothing around it, though its end may be below the edge. */
function bringEnd({ currentTarget: box }: Event): void {
  if (!(box instanceof HTMLElement) || document.activeElement !== box) return;
  if (isAtEnd(box) && !isEndInSight(box)) box.scrollIntoView({ block: 'end' });
}

/** A field begins with the caret at its end, out of sight: then the keys that lead to the end would not move it. */
function caretToStart({ target }: Event): void {
  if (!(target instanceof HTMLTextAreaElement) || target.scrollTop > 0) return;
  if (target.selectionStart === target.value.length) target.setSelectionRange(0, 0);
}

/** Whether an edit reaches the end of a text: whoever made it was there. A change before the end does not show the rest. */
export function isEndEdited(text: string, original: string): boolean {
  const end = (whole: string): string => whole.trimEnd().slice(-END_CHARS);
  return end(text) !== end(original);
}

function surelyFits(text: string): boolean {
  const { lines, characters } = lengthOf(text);
  return lines <= SURELY_FIT.lines && characters <= SURELY_FIT.characters;
}

/** Scrolls by one page at most: what is around the box first, until the box is in sight, then the text within. */
function scrollToNextPage(box: HTMLElement): void {
  const around = findScroller(box);
  const viewTop = around.getBoundingClientRect().top;
  const viewBottom = viewTop + around.clientHeight;
  const { top, bottom, height } = box.getBoundingClientRect();
  const isWhole = top >= viewTop - END_PX && bottom <= viewBottom + END_PX;
  const page = (shown: number): number => Math.max(MIN_PAGE_PX, shown - OVERLAP_PX);
  if (isWhole) box.scrollTop += page(box.clientHeight);
  else if (height <= around.clientHeight) box.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  else if (top > viewTop + END_PX || bottom < viewTop) around.scrollTop += top - viewTop;
  else if (bottom > viewBottom + END_PX) around.scrollTop += Math.min(page(around.clientHeight), bottom - viewBottom);
  else box.scrollTop += page(Math.min(box.clientHeight, bottom - viewTop));
}

/** Returns the nearest element around that scrolls. */
function findScroller(box: HTMLElement): Element {
  for (let around = box.parentElement; around; around = around.parentElement) {
    const { overflowY } = getComputedStyle(around);
    const scrolls = overflowY === 'auto' || overflowY === 'scroll';
    if (scrolls && around.scrollHeight - around.clientHeight > OVERFLOW_PX) return around;
  }
  return document.documentElement;
}
